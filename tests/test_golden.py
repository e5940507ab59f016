"""Golden files: each finding is claimed on its line, each claim met (`tests/scoring/golden.py`)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scoring import golden
from tests.scoring.versions import here


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """Scan the golden folder once."""
    return golden.scan()


@pytest.mark.parametrize("name", golden.FILES)
def test_every_finding_is_claimed_and_every_claim_met(report: dict[str, Any], name: str) -> None:
    """The line, the rule, the effect, and whether it gates."""
    assert golden.claimed(name, here())
    assert golden.disagreements(report, name) == []


def test_findings_are_in_golden_files_alone(report: dict[str, Any]) -> None:
    """Nothing is blamed on a library."""
    assert {found["path"] for found in report["findings"]} <= set(golden.FILES)


def by_name(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Index entries by what follows `audit_`."""
    return {entry["id"].partition("::audit_")[2]: entry for entry in report["entries"]}


def test_outcomes(report: dict[str, Any]) -> None:
    """Clean look-alikes stay clean, and so does a scalar under fullgraph."""
    outcomes = {name: entry["outcome"] for name, entry in by_name(report).items()}
    clean = {
        "installed",
        "operator",
        "look_alikes",
        "scalar",
        "two_callables[0]",
        "two_callables[1]",
        "many_gigabytes",
        "counter",
        "buffered",
        "by_size",
        "by_number",
        "by_tensor",
    }

    assert {name for name, outcome in outcomes.items() if outcome == "clean"} == clean
    assert set(outcomes.values()) == {"clean", "breaks"}


def test_the_second_input_and_the_second_call_are_told_apart(report: dict[str, Any]) -> None:
    """One shows a site by its shape, one only because it is called again."""
    gating = [one for one in report["findings"] if one["gates"]]
    found = {one["entry"].partition("::audit_")[2]: one for one in gating}

    assert (found["by_shape"]["input"], found["by_shape"]["detail"].get("warm")) == (1, None)
    assert (found["second_time"]["input"], found["second_time"]["detail"]["warm"]) == (0, True)


def test_libraries_are_named(report: dict[str, Any]) -> None:
    """Who can mend it."""
    mine = [one for one in report["findings"] if one["entry"].endswith("::audit_model")]
    found = [one for one in mine if one["gates"]]

    assert [one["library"]["path"] for one in found] == ["<site-packages>/somelib/__init__.py"] * 3
    assert {one["who"] for one in found} == {"you, or somelib"}


def test_an_entry_for_another_platform_is_said(report: dict[str, Any]) -> None:
    """It is not traced, and not lost."""
    assert [note for note in report["notes"] if "audit_elsewhere" in note] == [
        "inputs.py::audit_elsewhere is for mtia and this machine is cpu: not traced"
    ]
