"""Attention of the prefill: writes the cache, reads it back through the page table, attends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kernels.varlen_attention import varlen_attention

if TYPE_CHECKING:
    from torch import Tensor

    from engine.forward_batch import ForwardBatch
    from engine.kv_cache import KVCache


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionLayer:
    """The attention of one decoder layer: H query heads on Hk key heads.

    Attributes:
        scaling: factor on the scores.
    """

    layer_id: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    scaling: float
    causal: bool = True


class ExtendOutput(NamedTuple):
    """What `forward_extend` gives.

    Attributes:
        out: (n, H * D) in the dtype of q, zero in padding rows.
        lse: float32 (n, H), natural logarithm of the sum of exponentials of the scores, minus
            infinity in padding rows; None unless it was asked for.
    """

    out: Tensor
    lse: Tensor | None


class FlashAttentionBackend:
    """Attention over a paged cache, with one token a page.

    Padding: the rows of a padded forward that hold no token come last, behind
    `cu_seqlens_q[-1]`. The operator gives them zero, so the shapes depend on no data; their keys
    and values go to slot 0, which no sequence reads.
    """

    def __init__(self, cache: KVCache) -> None:
        """Attend over `cache`."""
        self.cache = cache

    def forward_extend(  # noqa: PLR0913 - the arguments that attention backends share
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        layer: AttentionLayer,
        forward_batch: ForwardBatch,
        *,
        save_kv_cache: bool = True,
        return_lse: bool = False,
    ) -> ExtendOutput:
        """Attend from the new tokens to their prefix and to each other.

        Args:
            q: (n, H * D) or (n, H, D), new tokens and padding.
            k: (n, Hk * D) or (n, Hk, D), their keys.
            v: like k, their values.
            layer: the layer that asks.
            forward_batch: the forward.
            save_kv_cache: False if the cache holds k and v already.
            return_lse: whether to give the lse too.
        """
        if save_kv_cache:
            heads = (-1, layer.num_kv_heads, layer.head_dim)
            slots = forward_batch.out_cache_loc
            self.cache.write(layer.layer_id, slots, k.view(heads), v.view(heads))
        metadata = forward_batch.attention
        keys, values = self.cache.read(layer.layer_id, metadata.kv_slots)
        result = varlen_attention(
            q.view(-1, layer.num_heads, layer.head_dim),
            keys,
            values,
            metadata.cu_seqlens_q,
            metadata.cu_seqlens_k,
            metadata.max_seqlen_q,
            metadata.max_seqlen_k,
            softmax_scale=layer.scaling,
            causal=layer.causal,
        )
        lse = result.lse.T.contiguous() if return_lse else None
        return ExtendOutput(result.out.flatten(1), lse)
