"""Padded prefills through one compiled callable."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest
import torch

from engine.audit_inputs import NUM_TOKENS, SHAPE, model, prefill
from engine.context_parallel_split import InterleaveSplit
from engine.extend_batch import build_extend_batch
from engine.flash_attention_metadata import ExtendRequest
from engine.parallel import get_parallel
from engine.prefill_buffers import PrefillBuffers, PrefillLimits
from engine.prefill_runner import PrefillRunner

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from engine.forward_batch import ForwardBatch

LIMITS = PrefillLimits(max_tokens=50, max_requests=4, max_context=32)
# Padding changes the row count of matrix products, and so the order of float32 sums.
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def tokens(count: int) -> tuple[Tensor, ForwardBatch]:
    """`count` new tokens in sequences of at most 20, the second one behind a prefix of three."""
    lens = [20] * (count // 20) + [count % 20] * (count % 20 > 0)
    requests = [
        ExtendRequest(pool_index=index, prefix_len=3 * (index == 1), extend_len=extend_len)
        for index, extend_len in enumerate(lens)
    ]
    slots = torch.arange(1, 129).view(4, 32)
    return torch.arange(count) * 5 % SHAPE.vocab_size, build_extend_batch(requests, slots)


def no_compilation(_graph: torch.fx.GraphModule, _inputs: list[Tensor]) -> NoReturn:
    """A back end for what has to run eagerly."""
    raise AssertionError("compiled")


def test_every_bucket_edge_equals_the_eager_model() -> None:
    """A full bucket, one token less and one more than the bucket before."""
    runner, eager = PrefillRunner(model(), LIMITS), model()
    runner.warm_up()
    assert runner.buckets == (4, 8, 12, 16, 20, 24, 28, 32, 48)
    edges = {edge for last in runner.buckets for edge in (last - 1, last, last + 1)}
    for count in sorted(edges - {49}, reverse=True):
        torch.testing.assert_close(runner.replay(*tokens(count)), eager(*tokens(count)), **CLOSE)


def test_nothing_is_compiled_after_the_start() -> None:
    """Compiling is over when `warm_up` returns; every bucket has run by then."""
    graphs = []

    def count(graph: torch.fx.GraphModule, _inputs: list[Tensor]) -> Callable[..., object]:
        graphs.append(graph)
        return graph.forward

    # The largest bucket equals the context: the first trace takes them for one size, which the
    # next bucket refutes. So there are two graphs, and none is made later.
    limits = PrefillLimits(max_tokens=32, max_requests=4, max_context=32)
    runner = PrefillRunner(model(), limits, compile_backend=count)
    runner.warm_up()
    compiled = len(graphs)
    assert compiled == 2
    for bucket in runner.buckets:
        runner.replay(*tokens(bucket))
    assert len(graphs) == compiled


def test_the_start_leaves_the_cache_alone() -> None:
    """Only slot 0, which no sequence owns, may be written."""
    network = model()
    PrefillRunner(network, LIMITS).warm_up()
    for layer in network.layers:
        assert layer.attention.backend.cache.keys[layer.attention.layer.layer_id][1:].sum() == 0


def test_a_gradient_mode_does_not_compile_again() -> None:
    """Callers inside and outside `no_grad` share the compiled code."""
    graphs = []

    def count(graph: torch.fx.GraphModule, _inputs: list[Tensor]) -> Callable[..., object]:
        graphs.append(graph)
        return graph.forward

    runner = PrefillRunner(model(), LIMITS, compile_backend=count)
    runner.warm_up()
    compiled = len(graphs)
    for enabled in (True, False):
        with torch.set_grad_enabled(enabled):
            runner.replay(*prefill())
    assert len(graphs) == compiled


def test_what_can_run() -> None:
    """One token in a bucket of four is mostly padding; 49 fit no bucket."""
    runner = PrefillRunner(model(), LIMITS)
    answers = {count: runner.can_run(*tokens(count)) for count in (1, 2, 4, 33, 48, 49)}
    answers[0] = runner.can_run(torch.arange(0), tokens(1)[1])
    assert answers == {0: False, 1: False, 2: True, 4: True, 33: True, 48: True, 49: False}
    assert runner.pad(33) == 48


@pytest.mark.parametrize("count", [2, 4, 17, 48])
def test_forward_through_a_bucket(count: int) -> None:
    """Padded and compiled, it gives what the eager model gives."""
    graphs = []

    def keep(graph: torch.fx.GraphModule, _inputs: list[Tensor]) -> Callable[..., object]:
        graphs.append(graph)
        return graph.forward

    hidden = PrefillRunner(model(), LIMITS, compile_backend=keep).forward(*tokens(count))
    torch.testing.assert_close(hidden, model()(*tokens(count)), **CLOSE)
    assert len(graphs) == 1


@pytest.mark.parametrize("count", [1, 49, 60])
def test_forward_without_a_bucket(count: int) -> None:
    """Eagerly where no bucket is large enough, or the best one is mostly padding."""
    runner = PrefillRunner(model(), LIMITS, compile_backend=no_compilation)
    assert torch.equal(runner.forward(*tokens(count)), model()(*tokens(count)))


@pytest.mark.parametrize(
    "limits",
    [
        PrefillLimits(max_tokens=16, max_requests=2, max_context=32),
        PrefillLimits(max_tokens=16, max_requests=4, max_context=10),
    ],
)
def test_forward_beyond_the_other_limits(limits: PrefillLimits) -> None:
    """More requests, or longer ones, than the buffers hold: eagerly as well."""
    runner = PrefillRunner(model(), limits, compile_backend=no_compilation)
    assert torch.equal(runner.forward(*prefill()), model()(*prefill()))


def test_forward_of_a_split_prefill() -> None:
    """Rank 1 of 4 owns three of ten rows, and gets them eagerly."""
    split = InterleaveSplit(total_tokens=NUM_TOKENS, cp_size=4)
    runner = PrefillRunner(model(), LIMITS, compile_backend=no_compilation)
    with get_parallel().override(attn_cp_size=4, attn_cp_rank=1):
        share = runner.forward(*prefill(split=split))
        assert torch.equal(share, model()(*prefill(split=split)))
    assert share.shape == (3, 64)


def test_a_split_prefill_is_refused() -> None:
    """Its output has other rows than its input: a replay cannot give them."""
    split = InterleaveSplit(total_tokens=NUM_TOKENS, cp_size=4)
    with pytest.raises(ValueError, match="split over ranks"):
        PrefillRunner(model(), LIMITS).replay(*prefill(split=split))


def test_a_smaller_forward_resets_the_tail() -> None:
    """What a larger one left behind is padding again."""
    buffers = PrefillBuffers.allocate(LIMITS)
    buffers.copy_from(*tokens(48))
    buffers.copy_from(*tokens(3))
    assert buffers.input_ids.tolist() == [0, 5, 10] + [0] * 47
    assert buffers.positions.tolist() == [0, 1, 2] + [0] * 47
    assert buffers.out_cache_loc.tolist() == [1, 2, 3] + [0] * 47
    assert buffers.kv_slots.tolist() == [1, 2, 3] + [0] * 125
    assert buffers.cu_seqlens_q.tolist() == [0, 3, 3, 3, 3]
    assert buffers.cu_seqlens_k.tolist() == [0, 3, 3, 3, 3]


def test_padded_inputs_are_views() -> None:
    """The addresses stay the same from forward to forward."""
    buffers = PrefillBuffers.allocate(LIMITS)
    first_ids, first = buffers.padded(8)
    second_ids, second = buffers.padded(12)
    assert first_ids.data_ptr() == second_ids.data_ptr() == buffers.input_ids.data_ptr()
    assert first.out_cache_loc.data_ptr() == second.out_cache_loc.data_ptr()
    assert (first.positions.shape[0], second.positions.shape[0]) == (8, 12)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (PrefillLimits(max_tokens=9, max_requests=4, max_context=32), "10 tokens, .* hold 9"),
        (PrefillLimits(max_tokens=16, max_requests=2, max_context=32), "3 requests, .* hold 2"),
        (PrefillLimits(max_tokens=16, max_requests=4, max_context=10), "11 keys .* hold 10"),
    ],
)
def test_a_forward_beyond_the_limits(limits: PrefillLimits, message: str) -> None:
    """The error names what is too large."""
    with pytest.raises(ValueError, match=message):
        PrefillBuffers.allocate(limits).copy_from(*prefill())
