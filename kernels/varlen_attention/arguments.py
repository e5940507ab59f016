"""What can be said about the arguments without reading a tensor, so that it holds while tracing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def check_arguments(
    q: Tensor, k: Tensor, v: Tensor, cu_seqlens_q: Tensor, cu_seqlens_k: Tensor
) -> None:
    """Refuse tensors that do not fit together.

    Raises:
        TypeError: a dtype is wrong.
        ValueError: a shape or a device is wrong.
    """
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        _check_packed(name, tensor, q)
    for name, tensor in (("cu_seqlens_q", cu_seqlens_q), ("cu_seqlens_k", cu_seqlens_k)):
        _check_bounds(name, tensor, q)
    _check_heads(q, k, v)
    if cu_seqlens_q.shape[0] != cu_seqlens_k.shape[0]:
        raise ValueError(
            f"varlen_attention: cu_seqlens_q has {cu_seqlens_q.shape[0]} entries, cu_seqlens_k has "
            f"{cu_seqlens_k.shape[0]}; both need batch + 1"
        )


def _check_packed(name: str, tensor: Tensor, q: Tensor) -> None:
    """Refuse `tensor` unless it is (tokens, heads, size) in a dtype and on the device of q."""
    if tensor.dim() != 3:
        raise ValueError(
            f"varlen_attention: {name} has {tensor.dim()} dimensions; "
            "pack the sequences to (tokens, heads, head size)"
        )
    if tensor.dtype not in DTYPES:
        raise TypeError(
            f"varlen_attention: {name} is {tensor.dtype}; use float32, bfloat16 or float16"
        )
    if tensor.dtype != q.dtype:
        raise TypeError(f"varlen_attention: {name} is {tensor.dtype} but q is {q.dtype}; cast one")
    _check_device(name, tensor, q)


def _check_bounds(name: str, tensor: Tensor, q: Tensor) -> None:
    """Refuse `tensor` unless it is int32 (batch + 1,) on the device of q."""
    if tensor.dim() != 1 or tensor.shape[0] == 0:
        raise ValueError(
            f"varlen_attention: {name} has {tensor.dim()} dimensions and {tensor.numel()} entries; "
            "it needs one dimension of batch + 1 bounds"
        )
    if tensor.dtype != torch.int32:
        raise TypeError(f"varlen_attention: {name} is {tensor.dtype}; cast it to torch.int32")
    _check_device(name, tensor, q)


def _check_device(name: str, tensor: Tensor, q: Tensor) -> None:
    """Refuse `tensor` unless it is where q is."""
    if tensor.device != q.device:
        raise ValueError(
            f"varlen_attention: {name} is on {tensor.device} but q is on {q.device}; move one"
        )


def _check_heads(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Refuse heads and sizes that do not fit together."""
    if k.shape[:2] != v.shape[:2]:
        raise ValueError(
            f"varlen_attention: k has (tokens, heads) {tuple(k.shape[:2])}, v has "
            f"{tuple(v.shape[:2])}; they need the same"
        )
    if q.shape[2] != k.shape[2] or q.shape[2] == 0:
        raise ValueError(
            f"varlen_attention: the head size of q is {q.shape[2]} and that of k is {k.shape[2]}; "
            "they need the same, at least 1"
        )
    if k.shape[1] == 0 or q.shape[1] % k.shape[1] != 0:
        raise ValueError(
            f"varlen_attention: {q.shape[1]} query heads cannot share {k.shape[1]} key heads; "
            "the first must be a multiple of the second"
        )
