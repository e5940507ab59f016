"""What a measured call gives."""

from __future__ import annotations

from dataclasses import dataclass

from graphaudit.model import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class EagerOps:
    """Operators outside any graph that were called from one place."""

    # Python frames from the entry's callable down, absolute paths, without torch's own where there
    # are others; empty where no Python code of the entry is above the operator
    stack: tuple[Location, ...]
    ops: int
    names: tuple[str, ...]  # each once, in order of appearance: ("aten::matmul", "aten::relu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Operators of one call."""

    in_graph: int
    eager: int
    eager_at: tuple[EagerOps, ...]  # in order of appearance
    compiling: int = 0  # Dynamo's own, in neither: a repeated call should compile nothing more
    complete: bool = True  # False where the call raised: what comes later is not counted

    @property
    def share(self) -> float | None:
        """The part that ran in graphs, from 0 to 1; None where nothing ran."""
        total = self.in_graph + self.eager
        return self.in_graph / total if total else None
