"""Latent attention against one head and one token at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from engine.deepseek_shape import LatentAttentionShape
from engine.latent_attention import LatentAttention
from engine.prompt_batch import build_prompt_batch
from engine.yarn import yarn_turns
from tests.engine import deepseek_reference as reference
from tests.engine.deepseek_reference import SMALL

ONE_HEAD = LatentAttentionShape(
    num_heads=1,
    query_rank=3,
    key_value_rank=5,
    plain_head_dim=1,
    rotary_head_dim=2,
    value_head_dim=7,
)


@pytest.mark.parametrize("sizes", [SMALL.attention, ONE_HEAD], ids=["four heads", "one head"])
@pytest.mark.parametrize("lengths", [(1,), (9,), (4, 1, 6)])
def test_prompts_as_the_loop(lengths: tuple[int, ...], sizes: LatentAttentionShape) -> None:
    """Each prompt sees itself and its past only, at places that start at zero."""
    torch.manual_seed(0)
    shape = replace(SMALL, attention=sizes)
    layer = LatentAttention(shape).requires_grad_(requires_grad=False)
    for weight in layer.parameters():
        # Scores of some size: all keys would count alike.
        weight.mul_(2)
    hidden, batch = torch.randn(sum(lengths), shape.hidden_size), build_prompt_batch(lengths)
    turns = yarn_turns(batch.positions, sizes.rotary_head_dim, shape.rotary)
    rows = [
        reference.attention(layer, list(prompt), shape.rotary) for prompt in hidden.split(lengths)
    ]
    expected = torch.stack([row for prompt in rows for row in prompt])
    # Sums in another order: some float32 roundings of values up to 10.
    torch.testing.assert_close(layer(hidden, turns, batch), expected, rtol=1e-4, atol=1e-4)
