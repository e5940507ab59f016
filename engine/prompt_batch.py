"""Whole prompts, one behind another: a prefill that reads no cache."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptBatch:
    """One forward over n tokens, each of which sees its own prompt only.

    Attributes:
        positions: int64 (n,), the place of each token in its prompt.
        cu_seqlens: int32 (prompts + 1,), where each prompt starts, and the end of the last.
        max_seqlen: no prompt has more tokens.
    """

    positions: Tensor
    cu_seqlens: Tensor
    max_seqlen: int


def build_prompt_batch(lengths: Sequence[int]) -> PromptBatch:
    """The forward over prompts of `lengths` tokens, at least one prompt."""
    return PromptBatch(
        positions=torch.cat([torch.arange(length) for length in lengths]),
        cu_seqlens=torch.tensor([0, *accumulate(lengths)], dtype=torch.int32),
        max_seqlen=max(lengths),
    )
