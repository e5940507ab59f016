"""What attention gives: by hand, and against the reference."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
import torch
from torch.nn import functional

from kernels.varlen_attention import varlen_attention
from kernels.varlen_attention.reference import attention_reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

INF = float("inf")
# Both compute in float32 from the same inputs, the sums of up to 300 terms in another order. The
# output of the operator is then rounded by at most half a unit in the last place: 2**-8 of the
# value in bfloat16, 2**-11 in float16.
TOLERANCE = {
    torch.float32: {"rtol": 1e-5, "atol": 2e-6},
    torch.bfloat16: {"rtol": 2**-8, "atol": 2e-6},
    torch.float16: {"rtol": 2**-11, "atol": 2e-6},
}


def bounds(lengths: list[int]) -> Tensor:
    """int32 (batch + 1,): where sequences of these lengths start, and the end."""
    return torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32)


def operator(
    q: Tensor, k: Tensor, v: Tensor, lengths: tuple[list[int], list[int]], *, causal: bool = True
) -> tuple[Tensor, Tensor]:
    """The operator on sequences of the given query and key lengths."""
    longest = [max(part) for part in lengths]
    return varlen_attention(q, k, v, *map(bounds, lengths), *longest, causal=causal)


def reference(
    q: Tensor, k: Tensor, v: Tensor, lengths: tuple[list[int], list[int]], *, causal: bool = True
) -> tuple[Tensor, Tensor]:
    """The reference on the same."""
    return attention_reference(q, k, v, *map(bounds, lengths), causal=causal)


both = pytest.mark.parametrize("attend", [operator, reference])


@both
def test_one_key(attend: Callable[..., tuple[Tensor, Tensor]]) -> None:
    """A single key gives its value, and its score as the lse: 2 * 3 / sqrt(4)."""
    q = torch.tensor([[[2.0, 0.0, 0.0, 0.0]]])
    k = torch.tensor([[[3.0, 1.0, 1.0, 1.0]]])
    out, lse = attend(q, k, torch.tensor([[[7.0, -5.0]]]), ([1], [1]))
    assert out.tolist() == [[[7.0, -5.0]]]
    assert lse.tolist() == [[3.0]]


@both
def test_weights_by_hand(attend: Callable[..., tuple[Tensor, Tensor]]) -> None:
    """Scores 0 and ln 3 weigh the values 1 to 3; the lse is ln 4."""
    k = torch.tensor([[[0.0]], [[math.log(3)]]])
    out, lse = attend(torch.ones(1, 1, 1), k, torch.tensor([[[0.0]], [[4.0]]]), ([1], [2]))
    assert out.item() == pytest.approx(3.0, abs=1e-6)
    assert lse.item() == pytest.approx(1.3862944, abs=1e-6)


@both
def test_the_last_query_sits_beside_the_last_key(
    attend: Callable[..., tuple[Tensor, Tensor]],
) -> None:
    """Two queries behind a prefix of one: they see two and three keys, all alike."""
    v = torch.tensor([[[0.0]], [[2.0]], [[7.0]]])
    out, lse = attend(torch.zeros(2, 1, 1), torch.zeros(3, 1, 1), v, ([2], [3]))
    assert out.flatten().tolist() == pytest.approx([1.0, 3.0])
    assert lse.flatten().tolist() == pytest.approx([math.log(2), math.log(3)])


@both
def test_a_query_that_sees_no_key(attend: Callable[..., tuple[Tensor, Tensor]]) -> None:
    """Three queries, one key: the first two are before it."""
    v = torch.tensor([[[5.0]]])
    out, lse = attend(torch.ones(3, 1, 1), torch.ones(1, 1, 1), v, ([3], [1]))
    assert out.flatten().tolist() == [0.0, 0.0, 5.0]
    assert lse.flatten().tolist() == [-INF, -INF, 1.0]


@both
@pytest.mark.parametrize("causal", [True, False])
def test_a_sequence_without_keys(
    attend: Callable[..., tuple[Tensor, Tensor]], *, causal: bool
) -> None:
    """There is nothing to see, masked or not."""
    empty = torch.ones(0, 2, 3)
    out, lse = attend(torch.ones(2, 4, 3), empty, empty, ([2], [0]), causal=causal)
    assert out.tolist() == torch.zeros(2, 4, 3).tolist()
    assert lse.tolist() == [[-INF, -INF]] * 4


@both
def test_neighbouring_query_heads_share_a_key_head(
    attend: Callable[..., tuple[Tensor, Tensor]],
) -> None:
    """Of six query heads the first three read key head 0."""
    v = torch.tensor([[[1.0], [9.0]]])
    out, _lse = attend(torch.ones(1, 6, 1), torch.ones(1, 2, 1), v, ([1], [1]))
    assert out.flatten().tolist() == [1.0, 1.0, 1.0, 9.0, 9.0, 9.0]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("causal", [True, False], ids=["causal", "full"])
@pytest.mark.parametrize(
    "lengths",
    [
        ([1], [1]),
        ([63], [63]),
        ([1, 63, 130], [8, 63, 300]),  # behind prefixes; 130 rows are more than one block
        ([0, 5, 0, 3], [2, 0, 0, 9]),
        ([129, 256], [40, 256]),  # more queries than keys, a block edge
    ],
)
def test_against_the_reference(
    lengths: tuple[list[int], list[int]], dtype: torch.dtype, *, causal: bool
) -> None:
    """Same output within one rounding, same lse."""
    torch.manual_seed(0)
    q = torch.randn(sum(lengths[0]), 6, 24).to(dtype)
    k = torch.randn(sum(lengths[1]), 2, 24).to(dtype)
    v = torch.randn(sum(lengths[1]), 2, 10).to(dtype)
    out, lse = operator(q, k, v, lengths, causal=causal)
    expected, expected_lse = reference(q, k, v, lengths, causal=causal)
    assert (out.dtype, lse.dtype) == (dtype, torch.float32)
    torch.testing.assert_close(out.float(), expected, **TOLERANCE[dtype])
    torch.testing.assert_close(lse, expected_lse, **TOLERANCE[torch.float32])


def test_against_torch() -> None:
    """A second opinion: torch's own attention on a sequence without prefix."""
    torch.manual_seed(1)
    q, k, v = torch.randn(3, 63, 4, 16).unbind()
    out, _lse = operator(q, k, v, ([63], [63]))
    heads = [tensor.transpose(0, 1) for tensor in (q, k, v)]
    expected = functional.scaled_dot_product_attention(*heads, is_causal=True).transpose(0, 1)
    torch.testing.assert_close(out, expected, **TOLERANCE[torch.float32])


def test_padding_is_zero_and_never_read() -> None:
    """Rows behind the last bound may hold anything."""
    torch.manual_seed(2)
    q, k, v = torch.randn(3, 9, 2, 8).unbind()
    expected = operator(q[:5], k[:6], v[:6], ([2, 3], [2, 4]))
    for tensor, rows in ((q, 5), (k, 6), (v, 6)):
        tensor[rows:] = float("nan")
    out, lse = operator(q, k, v, ([2, 3, 0], [2, 4, 0]))
    assert torch.equal(out[:5], expected[0])
    assert torch.equal(lse[:, :5], expected[1])
    assert out[5:].tolist() == torch.zeros(4, 2, 8).tolist()
    assert lse[:, 5:].tolist() == [[-INF] * 4] * 2


def test_heads_cut_out_of_one_projection() -> None:
    """Inputs need not be contiguous."""
    torch.manual_seed(3)
    joint = torch.randn(7, 8, 16)
    q, k, v = joint.split([4, 2, 2], dim=1)
    out, lse = operator(q, k, v, ([7], [7]))
    expected = operator(q.contiguous(), k.contiguous(), v.contiguous(), ([7], [7]))
    assert torch.equal(out, expected[0])
    assert torch.equal(lse, expected[1])


def test_scale_is_a_factor_on_the_scores() -> None:
    """A scale of 0.5 halves a score of 6."""
    q, k = torch.full((1, 1, 1), 2.0), torch.full((1, 1, 1), 3.0)
    one = bounds([1])
    assert varlen_attention(q, k, k, one, one, 1, 1, softmax_scale=0.5).lse.item() == 3.0
