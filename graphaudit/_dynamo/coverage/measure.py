"""From the operators of a call to its coverage."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from graphaudit._dynamo.stacks import TORCH
from graphaudit._target.source import locate
from graphaudit.model import Coverage, EagerOps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit._dynamo.coverage.operators import Frames, Operator


def coverage_of(operators: Sequence[Operator], *, complete: bool) -> Coverage:
    """Count operators, the eager ones by place."""
    names_at: dict[Frames, list[str]] = {}
    for operator in operators:
        if operator.where == "eager":
            names_at.setdefault(_of_program(operator.frames), []).append(operator.name)
    counts = Counter(operator.where for operator in operators)
    return Coverage(
        in_graph=counts["graph"],
        eager=counts["eager"],
        eager_at=tuple(_eager_ops(frames, names) for frames, names in names_at.items()),
        compiling=counts["compiling"],
        complete=complete,
    )


def _of_program(frames: Frames) -> Frames:
    """Leave out torch's own frames where there are others: they say nothing to a reader."""
    return tuple(frame for frame in frames if not frame[0].startswith(TORCH)) or frames


def _eager_ops(frames: Frames, names: list[str]) -> EagerOps:
    return EagerOps(
        stack=tuple(locate(path, line) for path, line in frames),
        ops=len(names),
        names=tuple(dict.fromkeys(names)),
    )
