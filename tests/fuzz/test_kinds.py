"""Each kind alone: it breaks as is written beside it, and its look-alike does not."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.kinds import BODY, KINDS, PRELUDE, Kind
from tests.fuzz.marking import clean, planted
from tests.fuzz.oracle import judge
from tests.fuzz.program import Program, load, run_plain

if TYPE_CHECKING:
    from pathlib import Path


def program(code: str) -> Program:
    """Give a program of one statement."""
    body = textwrap.indent(code.replace(BODY, "x = x.cos()"), "    ")
    return Program(
        f"{PRELUDE}\n\ndef entry(x):\n    n = 1\n    x = x + n\n{body}\n    return x * 2\n"
    )


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_breaks(kind: Kind, tmp_path: Path) -> None:
    """Its line is the one site: for stock Dynamo, in one trace, and in a plain run."""
    made = program(planted(kind, 0))

    assert [one.name for one in made.marks.values()] == [kind.name]
    assert judge(made, tmp_path).wrong == ()
    assert run_plain(made, load(tmp_path / "fuzzed.py")).lines == tuple(made.marks)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_its_look_alike_is_clean(kind: Kind, tmp_path: Path) -> None:
    """No site, and one graph."""
    made = program(clean(kind, 0))

    assert made.marks == {}
    assert judge(made, tmp_path).wrong == ()
