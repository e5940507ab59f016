"""Every adopted public case, scanned as a user would: agrees with what was observed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scoring.__main__ import score
from tests.scoring.expectations import expectations
from tests.scoring.wrappers import case_files, missing

FOLDER = Path(__file__).parent / "cases" / "public"
CASES = case_files(FOLDER)
EXPECTED = expectations(CASES)


@pytest.fixture(scope="module")
def wrong() -> dict[str, list[str]]:
    """Scan all cases, several in a process: an entry must not suffer from the one before it."""
    return score(CASES, EXPECTED, per_file=12)


def test_all_packages_that_cases_need_are_here() -> None:
    """None is left out."""
    assert [path.stem for path in CASES if missing(path)] == []
    assert len(CASES) == 83


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_case(wrong: dict[str, list[str]], name: str) -> None:
    """Lines, root ids, effects, fullgraph verdict, graphs."""
    assert wrong.get(name, []) == []
