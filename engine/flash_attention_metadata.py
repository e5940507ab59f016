"""Where the sequences of one forward lie: worked out once, outside the compiled region."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtendRequest:
    """One sequence of a prefill, in numbers that the scheduler has on the host.

    Attributes:
        pool_index: the row of `req_to_token` that lists the sequence's cache slots.
        prefix_len: tokens whose keys and values are in the cache already.
        extend_len: new tokens of this forward.
    """

    pool_index: int
    prefix_len: int
    extend_len: int

    @property
    def seq_len(self) -> int:
        """Tokens after this forward."""
        return self.prefix_len + self.extend_len


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashAttentionMetadata:
    """What attention needs to know of the sequences of one forward.

    Attributes:
        cu_seqlens_q: int32 (batch + 1,), where each sequence's new tokens start, and their end.
            Token rows behind the end are padding.
        cu_seqlens_k: int32 (batch + 1,), the same for its keys, prefix included.
        max_seqlen_q: no sequence has more new tokens.
        max_seqlen_k: no sequence has more keys.
        kv_slots: int64 (keys,), the cache slot of each key, sequence after sequence. Entries
            behind the last bound are padding.
    """

    cu_seqlens_q: Tensor
    cu_seqlens_k: Tensor
    max_seqlen_q: int
    max_seqlen_k: int
    kv_slots: Tensor


def build_metadata(
    requests: Sequence[ExtendRequest], req_to_token: Tensor
) -> FlashAttentionMetadata:
    """Metadata of an extend. All lengths come from the host, so no device is waited for.

    Args:
        requests: at least one.
        req_to_token: int64 (requests, context), the cache slots of each request, in token order:
            a page table with one token a page.
    """
    extend_lens = [request.extend_len for request in requests]
    seq_lens = [request.seq_len for request in requests]
    slots = [req_to_token[request.pool_index, : request.seq_len] for request in requests]
    return FlashAttentionMetadata(
        cu_seqlens_q=torch.tensor([0, *accumulate(extend_lens)], dtype=torch.int32),
        cu_seqlens_k=torch.tensor([0, *accumulate(seq_lens)], dtype=torch.int32),
        max_seqlen_q=max(extend_lens),
        max_seqlen_k=max(seq_lens),
        kv_slots=torch.cat(slots),
    )
