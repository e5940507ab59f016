"""The platform probes of sglang, and the decision that asks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from sglang.srt.layers.attention.dsa import utils as dsa
from sglang.srt.runtime_context import get_parallel
from sglang.srt.utils import common

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

Entry = tuple["Callable[[torch.Tensor], torch.Tensor]", tuple[torch.Tensor]]


def _branch(probe: Callable[[], bool]) -> Entry:
    def branch(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if probe() else x - 1

    return branch, (torch.randn(2),)


def _one_rank() -> AbstractContextManager[None]:
    return get_parallel().override(attn_cp_size=1, attn_cp_rank=0)


def audit_is_musa() -> Entry:
    return _branch(common.is_musa)


def audit_is_hip() -> Entry:
    return _branch(common.is_hip)


def audit_is_cuda() -> Entry:
    return _branch(common.is_cuda)


def audit_is_npu() -> Entry:
    return _branch(common.is_npu)


def audit_is_xpu() -> Entry:
    return _branch(common.is_xpu)


def audit_is_cpu() -> Entry:
    return _branch(common.is_cpu)


def audit_is_sm100_supported() -> Entry:
    return _branch(common.is_sm100_supported)


def audit_is_dsa_enable_prefill_cp() -> Entry:
    return _branch(dsa.is_dsa_enable_prefill_cp)


audit_is_dsa_enable_prefill_cp.context = _one_rank
