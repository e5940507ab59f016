"""A few fuzzed programs; `python -m tests.fuzz` runs as many as you like."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - hypothesis reads it

import pytest
from hypothesis import HealthCheck, given, reject, settings

from tests.fuzz.grammar import programs
from tests.fuzz.oracle import judge
from tests.fuzz.program import Program, RaisesError
from tests.fuzz.report import shown


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give one folder for all programs: Dynamo takes equal code of two files for one."""
    return tmp_path_factory.mktemp("fuzzed")


@settings(
    max_examples=45,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(program=programs())
def test_found_is_what_is_planted(folder: Path, program: Program) -> None:
    """In one trace every site and no other, first of all by stock; all is left as it was."""
    try:
        wrong = judge(program, folder).wrong
    except RaisesError:
        reject()
    assert not wrong, shown(program, wrong)
