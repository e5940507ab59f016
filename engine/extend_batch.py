"""From the scheduler's requests to the forward that the model runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from engine.flash_attention_metadata import build_metadata
from engine.forward_batch import ForwardBatch, ForwardMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from engine.context_parallel_split import InterleaveSplit
    from engine.flash_attention_metadata import ExtendRequest


def build_extend_batch(
    requests: Sequence[ExtendRequest],
    req_to_token: Tensor,
    *,
    attn_cp_metadata: InterleaveSplit | None = None,
) -> ForwardBatch:
    """The forward that extends `requests`, without padding.

    Args:
        requests: at least one.
        req_to_token: int64 (requests, context), the cache slots of each request.
        attn_cp_metadata: how the rows are split over ranks.
    """
    positions = [torch.arange(request.prefix_len, request.seq_len) for request in requests]
    slots = [
        req_to_token[request.pool_index, request.prefix_len : request.seq_len]
        for request in requests
    ]
    return ForwardBatch(
        forward_mode=ForwardMode.EXTEND,
        positions=torch.cat(positions),
        out_cache_loc=torch.cat(slots),
        attention=build_metadata(requests, req_to_token),
        attn_cp_metadata=attn_cp_metadata,
    )
