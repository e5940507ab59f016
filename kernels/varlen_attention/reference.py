"""The definition of the operator: one sequence and one head at a time, in float32."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor


def attention_reference(  # noqa: PLR0913 - the operator's own arguments
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    *,
    softmax_scale: float | None = None,
    causal: bool = True,
) -> tuple[Tensor, Tensor]:
    """Attend inside each sequence.

    `softmax(scale * q @ k.T + mask) @ v` as in Dao, "FlashAttention-2" (2023), section 2; query
    head h reads key head `h // (H / Hk)` (Ainslie et al., "GQA", 2023).

    Args:
        q: (total_q, H, D), any float dtype.
        k: (total_k, Hk, D).
        v: (total_k, Hk, Dv).
        cu_seqlens_q: int32 (batch + 1,), where each sequence's queries start, and the end.
        cu_seqlens_k: int32 (batch + 1,), the same for keys and values.
        softmax_scale: factor on the scores; None is `1 / sqrt(D)`.
        causal: a query sees no later key; the last query sits beside the last key.

    Returns:
        The output, float32 (total_q, H, Dv), zero where a query sees no key, and the natural
        logarithm of the sum of exponentials, float32 (H, total_q), minus infinity there.
    """
    scale = q.shape[2] ** -0.5 if softmax_scale is None else softmax_scale
    out = torch.zeros(q.shape[0], q.shape[1], v.shape[2], device=q.device)
    lse = torch.full((q.shape[1], q.shape[0]), float("-inf"), device=q.device)
    bounds_q, bounds_k = cu_seqlens_q.tolist(), cu_seqlens_k.tolist()
    for sequence in range(len(bounds_q) - 1):
        rows = slice(bounds_q[sequence], bounds_q[sequence + 1])
        keys = slice(bounds_k[sequence], bounds_k[sequence + 1])
        for head in range(q.shape[1]):
            key_head = head // (q.shape[1] // k.shape[1])
            scores = scale * q[rows, head].float() @ k[keys, key_head].float().T
            if causal:
                scores = scores + _causal_mask(scores)
            lse[head, rows] = scores.logsumexp(dim=-1)
            weights = scores.softmax(dim=-1).nan_to_num(0.0)
            out[rows, head] = weights @ v[keys, key_head].float()
    return out, lse


def _causal_mask(scores: Tensor) -> Tensor:
    """Zero where query i may see key j, `j <= i + keys - queries`, minus infinity elsewhere."""
    queries, keys = scores.shape
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(diagonal=keys - queries + 1)
    return torch.zeros_like(scores).masked_fill(hidden, float("-inf"))
