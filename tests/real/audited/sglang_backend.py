"""The FlashAttention backend of sglang: what each layer of a model calls.

Its first call in a process loads kernels; `cache_once` keeps them in closures, which no scan puts
back. So each form is told apart: the first call as the wheel stands, the first call with the
kernels as operators, and any later call.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import sgl_kernel.flash_attn
import torch
from sglang.kernels.jit.utils import cache_once
from sglang.kernels.ops.attention import flash_attention_v3
from sglang.kernels.ops.kvcache import kvcache
from sglang.srt.layers.radix_attention import RadixAttention
from sglang.srt.mem_cache import memory_pool
from sglang.srt.model_executor.forward_batch_info import ForwardMode
from sglang_engine import HEAD_DIM, HEADS, KV_HEADS, flash_attn_with_kvcache, kernels, step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Entry = tuple["Callable[..., torch.Tensor]", tuple[Any, ...]]


@contextmanager
def _first_call() -> Iterator[None]:
    """Have nothing loaded. Building a kernel gives one, as where there is a compiler."""
    with ExitStack() as stack:
        for module, name in (
            (flash_attention_v3, "_load_fa3_kernels"),
            (kvcache, "_jit_kvcache_module"),
            (memory_pool, "can_use_store_cache"),
        ):
            cold = cache_once(getattr(module, name).__wrapped__)
            stack.enter_context(patch.object(module, name, cold))
        stack.enter_context(patch.object(kvcache, "load_jit", _load_jit))
        yield


@torch.compiler.disable
def _load_jit(*_: object, **__: object) -> None:
    """Stand in for what sglang marks to stay eager, too."""


@contextmanager
def _first_call_by_operator() -> Iterator[None]:
    native = sgl_kernel.flash_attn
    with _first_call(), patch.object(native, "flash_attn_with_kvcache", flash_attn_with_kvcache):
        yield


def _extend() -> Entry:
    return _entry(ForwardMode.EXTEND, "forward_extend")


def _decode() -> Entry:
    return _entry(ForwardMode.DECODE, "forward_decode")


def _entry(mode: ForwardMode, method: str) -> Entry:
    ready = step(mode)
    layer = RadixAttention(HEADS, HEAD_DIM, HEAD_DIM**-0.5, KV_HEADS, layer_id=0)
    widths = [heads * HEAD_DIM for heads in (HEADS, KV_HEADS, KV_HEADS)]
    qkv = torch.randn(ready.tokens, sum(widths), dtype=torch.bfloat16).split(widths, dim=-1)
    return getattr(ready.backend, method), (*qkv, layer, ready.batch)


def audit_extend_first() -> Entry:
    return _extend()


def audit_decode_first() -> Entry:
    return _decode()


def audit_extend_first_by_operator() -> Entry:
    return _extend()


def audit_decode_first_by_operator() -> Entry:
    return _decode()


def audit_extend() -> Entry:
    return _extend()


def audit_decode() -> Entry:
    return _decode()


audit_extend_first.context = audit_decode_first.context = _first_call
audit_extend_first_by_operator.context = _first_call_by_operator
audit_decode_first_by_operator.context = _first_call_by_operator
audit_extend.context = audit_decode.context = kernels
