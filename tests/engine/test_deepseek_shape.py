"""The published sizes, and those that do not fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from engine.deepseek_model import empty_deepseek
from engine.deepseek_shape import DeepseekShape, ExpertShape, LatentAttentionShape

if TYPE_CHECKING:
    from collections.abc import Callable


def test_parameters_of_the_published_model() -> None:
    """671 billion, as the model card says of the main model, which has no module to predict ahead.

    Out of config.json of deepseek-ai/DeepSeek-V3, with h = 7168 hidden and 128 heads:
    vocabulary 129280 h, twice (embedding and head are not tied), and the last norm h. A layer has
    two norms of h and its attention: h 1536 + 1536 + 1536 * 128 * (128 + 64) for queries,
    h (512 + 64) + 512 + 512 * 128 * (128 + 128) for keys and values, 128 * 128 h for the output.
    The MLP of the 3 dense layers has 3 h 18432; a mixture (256 + 1) * 3 h 2048, and 256 h + 256
    for its router.
    """
    with torch.device("meta"):
        model = empty_deepseek(DeepseekShape())
    assert sum(weight.numel() for weight in model.parameters()) == 671_026_419_200


def test_the_dtype_of_the_published_model() -> None:
    """bfloat16, but for the routers' biases."""
    with torch.device("meta"):
        model = empty_deepseek(DeepseekShape())
    wide = [name for name, weight in model.named_parameters() if weight.dtype is torch.float32]
    assert wide == [f"layers.{layer}.mlp.router.bias" for layer in range(3, 61)]
    assert {weight.dtype for weight in model.parameters()} == {torch.bfloat16, torch.float32}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: LatentAttentionShape(rotary_head_dim=7), "rotary_head_dim is 7"),
        (lambda: ExpertShape(num_experts=9), "9 experts cannot stand in 8 groups"),
        (lambda: ExpertShape(num_experts=8), "8 experts cannot stand in 8 groups"),
        (lambda: ExpertShape(groups_per_token=9), "from 9 of 8 groups"),
        (lambda: ExpertShape(groups_per_token=0), "from 0 of 8 groups"),
        (lambda: ExpertShape(per_token=129), "4 groups of 32 experts cannot give 129"),
        (lambda: ExpertShape(per_token=0), "cannot give 0"),
    ],
)
def test_impossible_sizes(build: Callable[[], object], message: str) -> None:
    """Sizes that do not fit together are told."""
    with pytest.raises(ValueError, match=message):
        build()
