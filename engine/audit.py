"""What has to trace in one graph, and the reverted forms that do not.

Each `audit_*` gives a callable and its arguments. The `_reverted` entries and `audit_is_musa_eager`
show the defect: they break at the import in `probes/eager.py`, on any machine without torchada.
What asks the eager probes empties their caches first, so that no entry answers for another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import torch

from engine import audit_inputs
from engine.context_parallel_split import InterleaveSplit
from engine.dsa_context_parallel import is_dsa_enable_prefill_cp, is_dsa_enable_prefill_cp_reverted
from engine.flash_attention_backend import AttentionLayer
from engine.parallel import get_parallel
from engine.prefill_buffers import PrefillLimits
from engine.prefill_runner import PrefillRunner
from kernels.varlen_attention import varlen_attention
from probes import eager, safe

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

Audit: TypeAlias = "tuple[Callable[..., object], tuple[object, ...]]"
AuditWithKeywords: TypeAlias = "tuple[Callable[..., object], tuple[object, ...], dict[str, object]]"


def audit_varlen_attention() -> AuditWithKeywords:
    """The operator's own door, its checks included."""
    bounds = torch.tensor([0, 5, 6], dtype=torch.int32)
    q, k = torch.randn(8, 4, 16), torch.randn(6, 2, 16)
    lengths = {"max_seqlen_q": 5, "max_seqlen_k": 5}
    return varlen_attention, (q, k, k.clone(), bounds, bounds.clone()), {**lengths, "causal": True}


def audit_fa_forward() -> AuditWithKeywords:
    """Attention over the paged cache, with the log-sum-exp."""
    shape = audit_inputs.SHAPE
    layer = AttentionLayer(
        layer_id=0,
        num_heads=shape.num_heads,
        num_kv_heads=shape.num_kv_heads,
        head_dim=shape.head_dim,
        scaling=shape.head_dim**-0.5,
    )
    input_ids, forward_batch = audit_inputs.prefill()
    q = torch.randn(input_ids.shape[0], shape.num_heads * shape.head_dim)
    k, v = torch.randn(2, input_ids.shape[0], shape.num_kv_heads * shape.head_dim).unbind()
    forward = audit_inputs.backend().forward_extend
    return forward, (q, k, v, layer, forward_batch), {"return_lse": True}


def audit_dsa_context_parallel() -> Audit:
    """The decision on one rank: the platform is not asked."""
    audit_inputs.publish_process()
    return _branch_on(is_dsa_enable_prefill_cp)


def audit_dsa_context_parallel_enabled() -> Audit:
    """The decision on four ranks: the platform is asked, by the safe probes."""
    audit_inputs.publish_process()
    return _branch_on(is_dsa_enable_prefill_cp)


def audit_dsa_context_parallel_reverted() -> Audit:
    """The decision in the order that breaks, on one rank."""
    _forget_platform()
    audit_inputs.publish_process()
    return _branch_on(is_dsa_enable_prefill_cp_reverted)


def audit_prefill_forward() -> Audit:
    """The model on a prefill of three sequences."""
    audit_inputs.publish_process()
    return audit_inputs.model(), audit_inputs.prefill()


def audit_prefill_runner() -> Audit:
    """What the prefill runner compiles, on its buffers: 10 tokens in a bucket of 12."""
    audit_inputs.publish_process()
    limits = PrefillLimits(
        max_tokens=16,
        max_requests=audit_inputs.MAX_REQUESTS,
        max_context=audit_inputs.MAX_CONTEXT,
    )
    runner = PrefillRunner(audit_inputs.model(), limits)
    return runner.model, runner.prepare(*audit_inputs.prefill())


def audit_prefill_forward_context_parallel() -> Audit:
    """The model on rank 1 of 4: it hands on every fourth row."""
    audit_inputs.publish_process()
    split = InterleaveSplit(total_tokens=audit_inputs.NUM_TOKENS, cp_size=4)
    return audit_inputs.model(), audit_inputs.prefill(split=split)


def audit_prefill_forward_reverted() -> Audit:
    """The model wired with the decision that breaks."""
    _forget_platform()
    audit_inputs.publish_process()
    return audit_inputs.model(is_dsa_enable_prefill_cp_reverted), audit_inputs.prefill()


def audit_deepseek_v3_stack() -> Audit:
    """The published DeepSeek-V3, 671 billion parameters, on a prompt of 4096 tokens."""
    return audit_inputs.deepseek_v3(), audit_inputs.long_prompt()


def audit_is_musa_safe() -> Audit:
    """The MUSA probe that reads a constant."""
    return _branch_on(safe.is_musa)


def audit_is_hip_safe() -> Audit:
    """The HIP probe that reads a constant."""
    return _branch_on(safe.is_hip)


def audit_is_npu_safe() -> Audit:
    """The NPU probe that reads a constant."""
    return _branch_on(safe.is_npu)


def audit_is_musa_eager() -> Audit:
    """The MUSA probe that imports."""
    _forget_platform()
    return _branch_on(eager.is_musa)


def audit_is_hip_eager() -> Audit:
    """The HIP probe that looks at torch: it traces."""
    _forget_platform()
    return _branch_on(eager.is_hip)


def audit_is_npu_eager() -> Audit:
    """The NPU probe that looks at torch: it traces where torch has no `npu`."""
    _forget_platform()
    return _branch_on(eager.is_npu)


def _forget_platform() -> None:
    """Let the eager probes look again."""
    for probe in (eager.is_musa, eager.is_hip, eager.is_npu):
        probe.cache_clear()


def _branch_on(decide: Callable[[], bool]) -> Audit:
    """A function whose graph depends on `decide()`, and its argument."""

    def branch(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if decide() else x - 1

    return branch, (torch.zeros(1),)


def _rank_one_of_four() -> AbstractContextManager[None]:
    """This process as rank 1 of 4 that share the tokens of a prefill."""
    return get_parallel().override(attn_cp_size=4, attn_cp_rank=1)


audit_varlen_attention.options = {"dynamic": True}  # type: ignore[attr-defined]
audit_dsa_context_parallel_enabled.context = _rank_one_of_four  # type: ignore[attr-defined]
audit_prefill_runner.options = {"dynamic": True}  # type: ignore[attr-defined]
audit_deepseek_v3_stack.fake = True  # type: ignore[attr-defined]
audit_deepseek_v3_stack.platforms = ("cuda",)  # type: ignore[attr-defined]
audit_prefill_forward_context_parallel.context = _rank_one_of_four  # type: ignore[attr-defined]
