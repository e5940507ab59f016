"""Attention over the paged cache."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch

from engine.extend_batch import build_extend_batch
from engine.flash_attention_backend import AttentionLayer, FlashAttentionBackend
from engine.flash_attention_metadata import ExtendRequest, build_metadata
from engine.kv_cache import allocate_kv_cache
from kernels.varlen_attention.reference import attention_reference

if TYPE_CHECKING:
    from torch import Tensor

    from engine.forward_batch import ForwardBatch

LAYER = AttentionLayer(layer_id=1, num_heads=4, num_kv_heads=2, head_dim=8, scaling=0.3)
SLOTS = torch.tensor([[3, 1, 4, 6, 5, 9], [2, 7, 8, 10, 11, 12]])


def backend(dtype: torch.dtype = torch.float32) -> FlashAttentionBackend:
    """Two layers, 13 slots."""
    return FlashAttentionBackend(allocate_kv_cache(2, 13, 2, 8, dtype=dtype))


def extend(*sizes: tuple[int, int]) -> ForwardBatch:
    """Request i with (prefix, new tokens) `sizes[i]`."""
    requests = [
        ExtendRequest(pool_index=index, prefix_len=prefix, extend_len=new)
        for index, (prefix, new) in enumerate(sizes)
    ]
    return build_extend_batch(requests, SLOTS)


def heads(tokens: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Random q, k and v."""
    torch.manual_seed(seed)
    joint = torch.randn(tokens, 8, 8)
    q, k, v = joint.split([4, 2, 2], dim=1)
    return q.contiguous(), k.contiguous(), v.contiguous()


def test_metadata_by_hand() -> None:
    """Two requests: 3 new tokens, and 2 behind a prefix of 4."""
    requests = [
        ExtendRequest(pool_index=1, prefix_len=0, extend_len=3),
        ExtendRequest(pool_index=0, prefix_len=4, extend_len=2),
    ]
    metadata = build_metadata(requests, SLOTS)
    assert metadata.cu_seqlens_q.tolist() == [0, 3, 5]
    assert metadata.cu_seqlens_k.tolist() == [0, 3, 9]
    assert (metadata.max_seqlen_q, metadata.max_seqlen_k) == (3, 6)
    assert metadata.kv_slots.tolist() == [2, 7, 8, 3, 1, 4, 6, 5, 9]
    assert metadata.cu_seqlens_q.dtype == metadata.cu_seqlens_k.dtype == torch.int32


def test_batch_by_hand() -> None:
    """Positions count from the prefix; new tokens get the slots behind it."""
    batch = extend((4, 2), (0, 3))
    assert batch.positions.tolist() == [4, 5, 0, 1, 2]
    assert batch.out_cache_loc.tolist() == [5, 9, 2, 7, 8]


def test_new_tokens_are_written_to_their_slots() -> None:
    """The layer's own cache, those slots and no other."""
    attention = backend()
    q, k, v = heads(2)
    attention.forward_extend(q, k, v, LAYER, extend((0, 2)))
    keys, values = attention.cache.keys[1], attention.cache.values[1]
    assert torch.equal(keys[[3, 1]], k)
    assert torch.equal(values[[3, 1]], v)
    assert keys.count_nonzero() == k.numel()
    assert attention.cache.keys[0].count_nonzero() == 0


# float32 sums in another order; bfloat16 rounds the output once, by up to 2**-8.
@pytest.mark.parametrize(("dtype", "rtol"), [(torch.float32, 1e-5), (torch.bfloat16, 2**-8)])
def test_against_the_reference(dtype: torch.dtype, rtol: float) -> None:
    """Sequences without prefix are plain packed attention."""
    q, k, v = (tensor.to(dtype) for tensor in heads(8))
    got = backend(dtype).forward_extend(q, k, v, LAYER, extend((0, 5), (0, 3)), return_lse=True)
    ends = torch.tensor([0, 5, 8], dtype=torch.int32)
    out, lse = attention_reference(q, k, v, ends, ends, softmax_scale=0.3)
    torch.testing.assert_close(got.out.float(), out.flatten(1), rtol=rtol, atol=2e-6)
    torch.testing.assert_close(got.lse, lse.T, rtol=1e-5, atol=2e-6)


def test_a_prefix_is_read_from_the_cache() -> None:
    """A sequence in two parts gives what it gives at once."""
    q, k, v = heads(6)
    whole = backend().forward_extend(q, k, v, LAYER, extend((0, 6)), return_lse=True)
    parts = backend()
    parts.forward_extend(q[:2], k[:2], v[:2], LAYER, extend((0, 2)))
    rest = parts.forward_extend(q[2:], k[2:], v[2:], LAYER, extend((2, 4)), return_lse=True)
    torch.testing.assert_close(rest.out, whole.out[2:], rtol=1e-5, atol=2e-6)
    torch.testing.assert_close(rest.lse, whole.lse[2:], rtol=1e-5, atol=2e-6)


def test_flat_and_split_heads_are_the_same() -> None:
    """(n, H * D) is taken as well as (n, H, D)."""
    q, k, v = heads(3)
    split = backend().forward_extend(q, k, v, LAYER, extend((0, 3)))
    flat = backend().forward_extend(q.flatten(1), k.flatten(1), v.flatten(1), LAYER, extend((0, 3)))
    assert torch.equal(split.out, flat.out)


def test_lse_is_given_only_when_asked_for() -> None:
    """Token-major, float32."""
    q, k, v = heads(3)
    assert backend().forward_extend(q, k, v, LAYER, extend((0, 3))).lse is None
    lse = backend().forward_extend(q, k, v, LAYER, extend((0, 3)), return_lse=True).lse
    assert (lse.shape, lse.dtype, lse.is_contiguous()) == ((3, 4), torch.float32, True)
    assert lse[0, 0].item() == pytest.approx(0.3 * (q[0, 0] @ k[0, 0]).item(), abs=1e-6)


def test_the_cache_can_be_left_alone() -> None:
    """Keys that are stored already are attended and not written."""
    attention = backend()
    q, k, v = heads(3)
    first = attention.forward_extend(q, k, v, LAYER, extend((0, 3)))
    nothing = torch.zeros_like(k)
    again = attention.forward_extend(
        q, nothing, nothing, LAYER, extend((0, 3)), save_kv_cache=False
    )
    assert torch.equal(first.out, again.out)


def test_padding_rows_are_zero() -> None:
    """Rows behind the last token: zero, whatever they hold, and kept out of real slots."""
    q, k, v = (tensor.clone() for tensor in heads(5))
    for tensor in (q, k, v):
        tensor[3:] = 1e30
    batch = extend((0, 3))
    padded = replace(batch, out_cache_loc=torch.cat([batch.out_cache_loc, torch.zeros(2).long()]))
    attention = backend()
    got = attention.forward_extend(q, k, v, LAYER, padded, return_lse=True)
    expected = backend().forward_extend(q[:3], k[:3], v[:3], LAYER, batch, return_lse=True)
    assert torch.equal(got.out[:3], expected.out)
    assert torch.equal(got.lse[:3], expected.lse)
    assert got.out[3:].count_nonzero() == 0
    assert got.lse[3:].isneginf().all()
    assert attention.cache.keys[1][1:].max() < 1e30


def test_unknown_arguments_are_refused() -> None:
    """An argument that is not there is not dropped."""
    q, k, v = heads(3)
    with pytest.raises(TypeError, match="sinks"):
        backend().forward_extend(q, k, v, LAYER, extend((0, 3)), sinks=q)
