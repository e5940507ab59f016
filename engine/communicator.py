"""What a decoder layer does with its output when the tokens are split over ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.context_parallel_split import rank_rows
from engine.dsa_context_parallel import dsa_use_prefill_cp
from engine.parallel import get_parallel

if TYPE_CHECKING:
    from torch import Tensor

    from engine.forward_batch import ForwardBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerCommunicator:
    """The communication behind one layer, decided anew in every forward, so inside the trace.

    Attributes:
        decide: whether this process splits prefills at all; `is_dsa_enable_prefill_cp`.
        allow_reduce_scatter: False where the next layer needs all rows.
    """

    decide: Callable[[], bool]
    allow_reduce_scatter: bool

    def should_use_reduce_scatter(self, forward_batch: ForwardBatch) -> bool:
        """Whether each rank keeps its own rows of the output only."""
        return self.allow_reduce_scatter and dsa_use_prefill_cp(forward_batch, self.decide())

    def finish(self, rows: Tensor, forward_batch: ForwardBatch) -> Tensor:
        """The rows (n, size) that this rank hands on: all of them, or its share."""
        if not self.should_use_reduce_scatter(forward_batch):
            return rows
        parallel = get_parallel()
        return rank_rows(rows, cp_size=parallel.attn_cp_size, rank=parallel.attn_cp_rank)
