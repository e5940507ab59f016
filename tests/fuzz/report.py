"""A program and what is wrong with it, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.kinds import PRELUDE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.fuzz.oracle import Disagreement
    from tests.fuzz.program import Program


def shown(program: Program, wrong: Iterable[Disagreement]) -> str:
    """Give the program with the numbers of its lines, the common beginning left out."""
    start = len(PRELUDE.splitlines())
    lines = enumerate(program.text.splitlines()[start:], start=start + 1)
    text = [f"{number:5} {line}" for number, line in lines if line]
    told = [f"{one.fault}: {one.text}" for one in wrong]
    return "\n".join(["", *text, *told, ""])
