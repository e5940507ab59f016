"""FlashAttention 4 as it is called, and behind a custom operator with a fake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from flash_attn.cute import flash_attn_func
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

Entry = tuple["Callable[..., Tensor]", tuple[Tensor, Tensor, Tensor]]


def _inputs() -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = torch.randn(3, 1, 128, 4, 64, dtype=torch.bfloat16).unbind()
    return q, k, v


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return flash_attn_func(q, k, v, causal=True)[0]


def _attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return attend(q, k, v)


_attend.__annotations__ = dict.fromkeys(("q", "k", "v", "return"), Tensor)
operator = torch.library.custom_op("real::attend", _attend, mutates_args=())
operator.register_fake(lambda q, _k, _v: torch.empty_like(q))


def attend_by_operator(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return operator(q, k, v) * 2


def audit_flash_attn_func() -> Entry:
    return attend, _inputs()


def audit_operator() -> Entry:
    return attend_by_operator, _inputs()
