"""The model: repeatable, the same in parts, split over ranks, in one graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch

from engine.audit_inputs import MAX_CONTEXT, NUM_TOKENS, SHAPE, backend, model, prefill
from engine.context_parallel_split import InterleaveSplit
from engine.dsa_context_parallel import is_dsa_enable_prefill_cp_reverted
from engine.extend_batch import build_extend_batch
from engine.flash_attention_metadata import ExtendRequest
from engine.model import build_model
from engine.model_shape import ModelShape
from engine.parallel import get_parallel

if TYPE_CHECKING:
    from engine.forward_batch import ForwardBatch

# Matrix products of another number of rows sum in another order: some float32 roundings of values
# near 1 after two layers.
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def one_request(prefix_len: int, extend_len: int) -> ForwardBatch:
    """New tokens of a single sequence."""
    request = ExtendRequest(pool_index=0, prefix_len=prefix_len, extend_len=extend_len)
    return build_extend_batch([request], torch.arange(1, MAX_CONTEXT + 1)[None])


def test_the_seed_decides_the_weights() -> None:
    """Same seed, same output; another seed, another."""
    first, again, other = (
        build_model(SHAPE, backend(), seed=seed)(*prefill()) for seed in (0, 0, 1)
    )
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)


def test_output_is_normalised() -> None:
    """One row a token, each with a mean square of 1."""
    hidden = model()(*prefill())
    assert hidden.shape == (NUM_TOKENS, SHAPE.hidden_size)
    torch.testing.assert_close(hidden.square().mean(dim=1), torch.ones(NUM_TOKENS), **CLOSE)


def test_a_prompt_in_parts() -> None:
    """Seven tokens behind a cached five give what twelve give at once."""
    tokens = torch.arange(12) * 7 % SHAPE.vocab_size
    whole = model()(tokens, one_request(0, 12))
    parts = model()
    parts(tokens[:5], one_request(0, 5))
    torch.testing.assert_close(parts(tokens[5:], one_request(5, 7)), whole[5:], **CLOSE)


def test_only_distances_between_positions_matter() -> None:
    """Queries and keys are turned alike: later positions give the same."""
    tokens, batch = torch.arange(12), one_request(0, 12)
    later = replace(batch, positions=batch.positions + 9)
    torch.testing.assert_close(model()(tokens, later), model()(tokens, batch), **CLOSE)


def test_sequences_do_not_see_each_other() -> None:
    """Other tokens in the first sequence change nothing in the others."""
    input_ids, batch = prefill()
    changed = input_ids.clone()
    changed[:5] += 1
    before, after = model()(input_ids, batch), model()(changed, batch)
    assert not torch.allclose(before[:5], after[:5])
    assert torch.equal(before[5:], after[5:])


def test_ranks_hand_on_their_own_rows() -> None:
    """The shares of four ranks, padded and gathered, are the whole output."""
    split = InterleaveSplit(total_tokens=NUM_TOKENS, cp_size=4)
    gathered = torch.zeros(4 * split.padded_rank_tokens, SHAPE.hidden_size)
    for rank in range(4):
        with get_parallel().override(attn_cp_size=4, attn_cp_rank=rank):
            share = model()(*prefill(split=split))
        start = rank * split.padded_rank_tokens
        gathered[start : start + share.shape[0]] = share
    whole = model()(*prefill())
    torch.testing.assert_close(gathered[split.gather_index()], whole, **CLOSE)


@pytest.mark.parametrize("dynamic", [None, True])
def test_one_graph(*, dynamic: bool | None) -> None:
    """The whole model traces and computes the same."""
    compiled = torch.compile(model(), backend="eager", fullgraph=True, dynamic=dynamic)
    torch.testing.assert_close(compiled(*prefill()), model()(*prefill()), **CLOSE)


@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a .functools")
def test_the_reverted_decision_breaks_the_model() -> None:
    """Run eagerly it is the same model; traced, it ends at the import in the probe."""
    reverted = model(is_dsa_enable_prefill_cp_reverted)
    assert torch.equal(reverted(*prefill()), model()(*prefill()))
    with pytest.raises(RuntimeError, match="module_name: torchada") as caught:
        torch.compile(reverted, backend="eager", fullgraph=True)(*prefill())
    assert caught.value.gb_type == "Import failure"


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"num_heads": 3}, "3 query heads cannot share 2 key heads"),
        ({"head_dim": 7}, "head_dim is 7"),
    ],
)
def test_impossible_shapes(sizes: dict[str, int], message: str) -> None:
    """Sizes that do not fit together are told."""
    with pytest.raises(ValueError, match=message):
        ModelShape(**sizes)
