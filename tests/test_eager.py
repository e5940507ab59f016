"""Operators outside graphs, on hand-made counts."""

from __future__ import annotations

import pytest

from graphaudit.eager import eager_lines, ops_behind
from graphaudit.model import Break, Cause, Coverage, EagerOps, Effect, Location


def place(path: str, line: int, qualname: str = "f") -> Location:
    """Make a location."""
    return Location(
        path=path, line=line, end_line=line, column=5, qualname=qualname, source=f"line {line}"
    )


F3, F4, G9 = place("a.py", 3), place("a.py", 4), place("b.py", 9, "g")
TORCH = place("<site-packages>/torch/nn/functional.py", 7, "relu")
COVERAGE = Coverage(
    in_graph=10,
    eager=7,
    eager_at=(
        EagerOps(stack=(F3, G9), ops=2, names=("aten::add",)),
        EagerOps(stack=(F4, TORCH), ops=1, names=("aten::relu",)),
        EagerOps(stack=(F4,), ops=3, names=("aten::mul", "aten::relu")),
        EagerOps(stack=(), ops=1, names=("aten::zeros",)),
    ),
)


def test_lines_are_the_users_and_those_with_most_come_first() -> None:
    """What a library does counts on the line that calls it; what no line calls, on none."""
    found = [(line.path, line.line, line.ops, line.operators) for line in eager_lines(COVERAGE)]

    assert found == [
        ("a.py", 4, 4, ("aten::relu", "aten::mul")),
        ("b.py", 9, 2, ("aten::add",)),
    ]


@pytest.mark.parametrize(
    ("effect", "ops"), [("opaque", 2), ("resumes", 2), ("frame_dropped", 6), ("rest_eager", 6)]
)
def test_what_a_break_costs(effect: Effect, ops: int) -> None:
    """Its line and what that calls, or the whole function."""
    found = Break(
        verdict="default",
        fullgraph=True,
        input=0,
        warm=False,
        effect=effect,
        causes=(Cause(gb="GB0098", gb_type="Skip calling"),),
        site=F3,
        library=None,
        count=1,
    )

    assert ops_behind(found, COVERAGE) == ops
