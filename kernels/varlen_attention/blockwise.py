"""Attention in torch alone: blocks of query rows against the keys that they can see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor

    from kernels.varlen_attention.spans import Spans

# Bounds the memory of the scores: 128 rows against 4,096 keys are 2 MiB a head.
BLOCK_ROWS = 128


def attend(
    q: Tensor, k: Tensor, v: Tensor, spans: Spans, *, scale: float, causal: bool
) -> tuple[Tensor, Tensor]:
    """Output and lse as `varlen_attention` describes them, computed in float32."""
    out = q.new_zeros(q.shape[0], q.shape[1], v.shape[2])
    lse = q.new_full((q.shape[1], q.shape[0]), float("-inf"), dtype=torch.float32)
    for rows, keys in spans:
        # (Hk, keys, size): all heads in one batched product. Widened once for all blocks.
        k_heads = k[keys].float().transpose(0, 1)
        v_heads = v[keys].float().transpose(0, 1)
        for start in range(rows.start, rows.stop, BLOCK_ROWS):
            block = slice(start, min(start + BLOCK_ROWS, rows.stop))
            # Bottom-right alignment: the last query sees the last key.
            last_key = start - rows.stop + k_heads.shape[1] if causal else None
            scores = _scores(q[block].float() * scale, k_heads, last_key)
            lse[:, block] = scores.logsumexp(dim=-1).flatten(0, 1)
            out[block] = _mix(scores, v_heads)
    return out, lse


def _scores(q: Tensor, k_heads: Tensor, last_key: int | None) -> Tensor:
    """Masked scores of one block.

    Args:
        q: float32 (n, H, D), already scaled.
        k_heads: float32 (Hk, keys, D).
        last_key: the last key that query 0 sees, below 0 if none; None to see all.

    Returns:
        float32 (Hk, H / Hk, n, seen), for the keys that at least one query sees.
    """
    rows, heads, size = q.shape
    key_heads = k_heads.shape[0]
    groups = heads // key_heads
    seen = k_heads if last_key is None else k_heads[:, : max(0, last_key + rows)]
    # The query heads that share a key head stand below each other: one product for all of them.
    grouped = q.view(rows, key_heads, groups, size).permute(1, 2, 0, 3)
    stacked = grouped.reshape(key_heads, groups * rows, size)
    scores = (stacked @ seen.transpose(1, 2)).view(key_heads, groups, rows, seen.shape[1])
    if last_key is None:
        return scores
    hidden = scores.new_ones(rows, seen.shape[1], dtype=torch.bool).triu(last_key + 1)
    return scores.masked_fill(hidden, float("-inf"))


def _mix(scores: Tensor, v_heads: Tensor) -> Tensor:
    """Values weighted by the softmax of the scores, zero for a query that sees no key.

    Args:
        scores: float32 (Hk, H / Hk, n, seen).
        v_heads: float32 (Hk, keys, Dv); the first `seen` keys are used.

    Returns:
        float32 (n, H, Dv).
    """
    # softmax gives NaN for a row that is all minus infinity.
    blind = scores.isneginf().all(dim=-1, keepdim=True)
    weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)
    key_heads, groups, rows, seen = scores.shape
    mixed = weights.view(key_heads, groups * rows, seen) @ v_heads[:, :seen]
    return mixed.view(key_heads * groups, rows, v_heads.shape[2]).transpose(0, 1)
