"""May the prefill of a DeepSeek-sparse-attention model be split over ranks in this process?

The question is asked by every decoder layer while the prefill is traced, also for models without
sparse attention. So each step has to be traceable, and the cheapest one comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.deepseek import is_deepseek_dsa, is_deepseek_v4
from engine.model_config import process_model_config
from engine.parallel import get_parallel
from probes import eager
from probes.safe import is_hip, is_musa, is_npu

if TYPE_CHECKING:
    from engine.forward_batch import ForwardBatch


def is_dsa_enable_prefill_cp() -> bool:
    """Whether there are several ranks, the platform can split, and the model is a DSA model.

    The size comes first: where there is one rank the platform is never asked.

    Raises:
        ValueError: parallel sizes or the model config are not published.
    """
    if get_parallel().attn_cp_size <= 1:
        return False
    if is_hip() or is_npu() or is_musa():
        return False
    return _has_sparse_attention()


def is_dsa_enable_prefill_cp_reverted() -> bool:
    """The same answer in the order that breaks: it asks the platform first, with eager probes.

    Kept to show that the difference is found: tracing ends at the import in `eager.is_musa`, on
    any machine without torchada.

    Raises:
        ValueError: parallel sizes or the model config are not published.
    """
    if eager.is_hip() or eager.is_npu() or eager.is_musa():
        return False
    if get_parallel().attn_cp_size <= 1:
        return False
    return _has_sparse_attention()


def dsa_use_prefill_cp(forward_batch: ForwardBatch, enabled: bool | None = None) -> bool:
    """Whether this forward is split over ranks.

    Args:
        forward_batch: the forward.
        enabled: the decision for the process; None asks `is_dsa_enable_prefill_cp`.
    """
    if enabled is None:
        enabled = is_dsa_enable_prefill_cp()
    planned = forward_batch.attn_cp_metadata is not None
    return planned and enabled and forward_batch.forward_mode.is_context_parallel_extend()


def _has_sparse_attention() -> bool:
    """Whether the model of this process is one that the split was written for."""
    hf_config = process_model_config().hf_config
    return is_deepseek_dsa(hf_config) or is_deepseek_v4(hf_config)
