"""Pairs for `graphaudit compare engine/`: the decision on context parallelism in both orders.

The reverted order asks the platform first, with probes that import; the fixed one looks at the
number of ranks first, and asks probes that read constants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from engine import audit_inputs
from engine.dsa_context_parallel import is_dsa_enable_prefill_cp, is_dsa_enable_prefill_cp_reverted
from engine.parallel import get_parallel
from probes import eager, safe

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

Pair: TypeAlias = "tuple[Callable[[], bool], Callable[[], bool], tuple[()]]"

_PROBES = (
    *(eager.is_hip, eager.is_npu, eager.is_musa),
    *(safe.is_hip, safe.is_npu, safe.is_musa),
)


def compare_dsa_context_parallel_one_rank() -> Pair:
    """Nothing to split: the platform need not be asked."""
    return _both_orders()


def compare_dsa_context_parallel_four_ranks() -> Pair:
    """Four ranks share a prompt: the platform decides."""
    return _both_orders()


def _both_orders() -> Pair:
    audit_inputs.publish_process()
    return is_dsa_enable_prefill_cp_reverted, is_dsa_enable_prefill_cp, ()


def _four_ranks() -> AbstractContextManager[None]:
    return get_parallel().override(attn_cp_size=4, attn_cp_rank=1)


for _pair in (compare_dsa_context_parallel_one_rank, compare_dsa_context_parallel_four_ranks):
    _pair.packages = ("torchada",)  # type: ignore[attr-defined]
    _pair.watch = _PROBES  # type: ignore[attr-defined]

compare_dsa_context_parallel_four_ranks.context = _four_ranks  # type: ignore[attr-defined]
