"""Counterexamples that fuzzing has met, each a small program with its sites marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.kinds import PRELUDE
from tests.fuzz.oracle import judge
from tests.fuzz.program import Program
from tests.fuzz.report import shown

FOLDER = Path(__file__).parents[1] / "cases" / "fuzzed"
CASES = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_counterexample(path: Path, tmp_path: Path) -> None:
    """Found is what is marked."""
    program = Program(f"{PRELUDE}\n\n{path.read_text()}")

    wrong = judge(program, tmp_path).wrong

    assert not wrong, shown(program, wrong)
