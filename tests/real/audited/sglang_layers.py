"""Layers of sglang: what needs its native kernels ends there, and the rest is traced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from sglang.srt.layers import activation, layernorm
from sglang.srt.layers.rotary_embedding import get_rope

if TYPE_CHECKING:
    from collections.abc import Callable

Entry = tuple["Callable[..., Any]", tuple[torch.Tensor, ...]]


def _tokens(width: int = 64) -> torch.Tensor:
    return torch.randn(4, width, dtype=torch.bfloat16)


def audit_silu_and_mul() -> Entry:
    return activation.SiluAndMul(), (_tokens(),)


def audit_gelu_and_mul_native() -> Entry:
    return activation.GeluAndMul().forward_native, (_tokens(),)


def audit_rms_norm() -> Entry:
    return layernorm.RMSNorm(64), (_tokens(),)


def audit_rms_norm_native() -> Entry:
    return layernorm.RMSNorm(64).forward_native, (_tokens(),)


def audit_rotary_embedding() -> Entry:
    return get_rope(64, 64, 2048, 10000, True), (torch.arange(4), _tokens(128), _tokens(128))


def audit_rotary_embedding_native() -> Entry:
    rope = get_rope(64, 64, 2048, 10000, True)
    return rope.forward_native, (torch.arange(4), _tokens(128), _tokens(128))
