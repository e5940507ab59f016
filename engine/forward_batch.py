"""What one forward pass of the model is told besides the token ids."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from torch import Tensor

from engine.context_parallel_split import InterleaveSplit
from engine.flash_attention_metadata import FlashAttentionMetadata


class ForwardMode(Enum):
    """What a forward does to its sequences."""

    EXTEND = "extend"  # new tokens behind a cached prefix, which may be empty
    DECODE = "decode"  # one token a sequence

    def is_context_parallel_extend(self) -> bool:
        """Whether the tokens of this forward may be split over ranks."""
        return self is ForwardMode.EXTEND


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardBatch:
    """One forward over n token rows, padding included.

    Attributes:
        positions: int64 (n,), the place of each token in its sequence.
        out_cache_loc: int64 (n,), the cache slot that gets each token's key and value; padding
            writes to slot 0.
        attention: which rows belong together and where their keys lie.
        attn_cp_metadata: how the rows are split over ranks; None if they are not.
    """

    forward_mode: ForwardMode
    positions: Tensor
    out_cache_loc: Tensor
    attention: FlashAttentionMetadata
    attn_cp_metadata: InterleaveSplit | None = None
