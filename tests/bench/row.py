"""One line of the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A measured thing, the floor that it is compared with, and how many times it costs that."""

    what: str
    floor: str
    ratio: float
    limit: float | None = None  # above it, the benchmark fails

    @property
    def is_over(self) -> bool:
        """Whether it costs more than it may."""
        return self.limit is not None and self.ratio > self.limit
