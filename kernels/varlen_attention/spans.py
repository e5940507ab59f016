"""Where the sequences lie, as Python numbers: a CPU loop needs them, a kernel reads the tensors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """Bounds of the sequences: sequence i has the rows from `queries[i]` to `queries[i + 1]`."""

    queries: tuple[int, ...]
    keys: tuple[int, ...]

    def __iter__(self) -> Iterator[tuple[slice, slice]]:
        """Rows of q and rows of k, sequence by sequence."""
        for rows, keys in zip(pairwise(self.queries), pairwise(self.keys), strict=True):
            yield slice(*rows), slice(*keys)

    def check(self, *, rows: tuple[int, int], longest: tuple[int, int]) -> None:
        """Refuse bounds that the tensors do not have.

        Args:
            rows: how many rows q and k have.
            longest: max_seqlen_q and max_seqlen_k.

        Raises:
            ValueError: bounds fall, leave the tensor, or a sequence is longer than its maximum.
        """
        _check_bounds("q", self.queries, rows[0], longest[0])
        _check_bounds("k", self.keys, rows[1], longest[1])


def read_spans(cu_seqlens_q: Tensor, cu_seqlens_k: Tensor) -> Spans:
    """The bounds in two int32 (batch + 1,) tensors; waits for their device."""
    return Spans(queries=tuple(cu_seqlens_q.tolist()), keys=tuple(cu_seqlens_k.tolist()))


def _check_bounds(name: str, bounds: tuple[int, ...], end: int, most: int) -> None:
    """Refuse `bounds` unless they rise from 0 to at most `end` in steps of at most `most`."""
    lengths = [stop - start for start, stop in pairwise(bounds)]
    if bounds[0] != 0 or min(lengths, default=0) < 0:
        raise ValueError(
            f"varlen_attention: cu_seqlens_{name} is {list(bounds)}; it starts at 0 and never falls"
        )
    if bounds[-1] > end:
        raise ValueError(
            f"varlen_attention: cu_seqlens_{name} ends at {bounds[-1]}, but there are {end} rows"
        )
    if max(lengths, default=0) > most:
        raise ValueError(
            f"varlen_attention: a sequence has {max(lengths)} rows, "
            f"but max_seqlen_{name} is {most}; pass an upper bound"
        )
