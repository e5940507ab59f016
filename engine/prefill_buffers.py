"""The tensors a compiled prefill reads: allocated once, refilled for every forward."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.flash_attention_metadata import FlashAttentionMetadata
from engine.forward_batch import ForwardBatch, ForwardMode


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillLimits:
    """The largest prefill that the buffers hold.

    Attributes:
        max_context: tokens of one sequence, prefix included.
    """

    max_tokens: int
    max_requests: int
    max_context: int

    @property
    def max_keys(self) -> int:
        """Keys of all sequences together."""
        return self.max_requests * self.max_context


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillBuffers:
    """Static inputs of a prefill, with the shapes and dtypes that `ForwardBatch` describes.

    Token buffers have `max_tokens` rows and are handed out up to a bucket. `kv_slots` and the
    bounds have one size for all forwards: request slots that are not used are sequences without
    tokens, and the keys behind the last bound are padding.
    """

    limits: PrefillLimits
    input_ids: Tensor
    positions: Tensor
    out_cache_loc: Tensor
    kv_slots: Tensor
    cu_seqlens_q: Tensor
    cu_seqlens_k: Tensor

    @classmethod
    def allocate(cls, limits: PrefillLimits) -> PrefillBuffers:
        """Buffers that hold padding only."""
        bounds = limits.max_requests + 1
        return cls(
            limits=limits,
            input_ids=torch.zeros(limits.max_tokens, dtype=torch.int64),
            positions=torch.zeros(limits.max_tokens, dtype=torch.int64),
            out_cache_loc=torch.zeros(limits.max_tokens, dtype=torch.int64),
            kv_slots=torch.zeros(limits.max_keys, dtype=torch.int64),
            cu_seqlens_q=torch.zeros(bounds, dtype=torch.int32),
            cu_seqlens_k=torch.zeros(bounds, dtype=torch.int32),
        )

    def copy_from(self, input_ids: Tensor, forward_batch: ForwardBatch) -> None:
        """Take one forward in; what an earlier, larger one left behind is reset.

        Raises:
            ValueError: the forward is larger than the limits.
        """
        metadata = forward_batch.attention
        excess = self.excess(input_ids, forward_batch)
        if excess:
            raise ValueError(excess)
        _fill(self.input_ids, input_ids)
        _fill(self.positions, forward_batch.positions)
        _fill(self.out_cache_loc, forward_batch.out_cache_loc)
        _fill(self.kv_slots, metadata.kv_slots)
        _fill(self.cu_seqlens_q, metadata.cu_seqlens_q, tail=metadata.cu_seqlens_q[-1])
        _fill(self.cu_seqlens_k, metadata.cu_seqlens_k, tail=metadata.cu_seqlens_k[-1])

    def padded(self, bucket: int) -> tuple[Tensor, ForwardBatch]:
        """Token ids (bucket,) and the forward: views of the buffers.

        The lengths of the longest sequence are upper bounds, so that forwards of one bucket have
        the same numbers.
        """
        metadata = FlashAttentionMetadata(
            cu_seqlens_q=self.cu_seqlens_q,
            cu_seqlens_k=self.cu_seqlens_k,
            max_seqlen_q=bucket,
            max_seqlen_k=self.limits.max_context,
            kv_slots=self.kv_slots,
        )
        return self.input_ids[:bucket], ForwardBatch(
            forward_mode=ForwardMode.EXTEND,
            positions=self.positions[:bucket],
            out_cache_loc=self.out_cache_loc[:bucket],
            attention=metadata,
        )

    def excess(self, input_ids: Tensor, forward_batch: ForwardBatch) -> str:
        """What of a forward is larger than the limits; "" if the buffers hold it."""
        metadata = forward_batch.attention
        sizes = (
            ("tokens", input_ids.shape[0], self.limits.max_tokens),
            ("requests", metadata.cu_seqlens_q.shape[0] - 1, self.limits.max_requests),
            ("keys in a sequence", metadata.max_seqlen_k, self.limits.max_context),
        )
        for what, size, limit in sizes:
            if size > limit:
                return f"the forward has {size} {what}, the buffers hold {limit}"
        return ""


def _fill(buffer: Tensor, values: Tensor, *, tail: Tensor | int = 0) -> None:
    """Write `values` at the start of `buffer` and `tail` behind them."""
    buffer[: values.shape[0]] = values
    buffer[values.shape[0] :] = tail
