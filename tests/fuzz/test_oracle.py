"""The oracle itself: it sees what is wrong with a program's marks, and knows a consequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fuzz.kinds import PRELUDE
from tests.fuzz.oracle import Finding, judge
from tests.fuzz.program import Program

if TYPE_CHECKING:
    from pathlib import Path

PRINT = 'print("p")'
MARKED = 'print("p")  # ! print | len("p")'


def judged(folder: Path, *body: str) -> Finding:
    """Judge an entry with a body."""
    lines = "".join(f"    {line}\n" for line in ("x = x + 1", *body, "return x * 2"))
    return judge(Program(f"{PRELUDE}\n\ndef entry(x):\n{lines}"), folder)


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        ((MARKED,), []),
        ((PRINT,), ["invented"] * 4),  # by each of the two tracers, for each verdict
        (('len("p")  # ! print | len("p")',), ["missed"] * 4),
        ((MARKED, PRINT), ["invented"] * 3),  # fullgraph stops at the first
        (('time.sleep(0)  # ! print | len("p")',), ["invented"] * 3),  # another id
        (("if x is None:", f"    {MARKED}"), []),  # it is not run
    ],
    ids=["right", "unmarked", "clean", "one_more", "other_id", "not_run"],
)
def test_marks_are_compared(body: tuple[str, ...], faults: list[str], tmp_path: Path) -> None:
    """With what see-through and stock show, both verdicts."""
    assert [one.fault for one in judged(tmp_path, *body).wrong] == faults


def test_a_consequence(tmp_path: Path) -> None:
    """Stock shows it besides, and no more once the planted line is mended."""
    fails = f"def fails(x):\n    {MARKED}\n    x = x + 1\n    raise Error(x)\n"
    handles = "    try:\n        fails(x)\n    except Error:\n        x = -x\n"
    entry = f"def entry(x):\n{handles}    return x\n"

    finding = judge(Program(f"{PRELUDE}\n\n{fails}\n\n{entry}"), tmp_path)

    assert finding == Finding(wrong=(), sites=1, consequences=("GB0088",))


def test_what_is_left_behind_is_noticed(tmp_path: Path) -> None:
    """An iterator that a step has moved on cannot be given back."""
    step = "@torch.compiler.disable\ndef step():\n    print(next(STEPS))\n"
    entry = "def entry(x):\n    step()  # ! disabled | n = 1\n    return x\n"
    text = "\n\n".join([PRELUDE, "STEPS = itertools.count()", "", step, entry])

    assert {one.fault for one in judge(Program(text), tmp_path).wrong} == {"left"}
