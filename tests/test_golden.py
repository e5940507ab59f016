"""Golden files: the expectation stands on the line that it is about.

`# break: GA001 frame_dropped` claims a gating finding of that rule and effect, `# note: ...` one
that does not gate; a line may have both, `|` separates several. Every finding must be claimed,
every claim met.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "cases" / "golden"
FILES = sorted(path.name for path in FOLDER.glob("*.py"))
CLAIM = re.compile(r"# (break|note): ([^#]+)")


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """Scan the golden folder once."""
    done = subprocess.run(
        [sys.executable, "-m", "graphaudit", "scan", ".", "--output-format", "json"],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    loaded: dict[str, Any] = json.loads(done.stdout)
    return loaded


def claims(path: Path) -> Counter[str]:
    """Read what a file expects."""
    found: Counter[str] = Counter()
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        for claim in CLAIM.finditer(line):
            found.update(f"{number} {claim[1]}: {what.strip()}" for what in claim[2].split("|"))
    return found


def kind(found: dict[str, Any]) -> str:
    """Say what a claim calls a finding."""
    return "break" if found["gates"] else "note"


@pytest.mark.parametrize("name", FILES)
def test_every_finding_is_claimed_and_every_claim_met(report: dict[str, Any], name: str) -> None:
    """The line, the rule, the effect, and whether it gates."""
    got = Counter(
        f"{found['line']} {kind(found)}: {found['rule']} {found['effect']}"
        for found in report["findings"]
        if found["path"] == name
    )

    assert got == claims(FOLDER / name)


def test_findings_are_in_golden_files_alone(report: dict[str, Any]) -> None:
    """Nothing is blamed on a library."""
    assert {found["path"] for found in report["findings"]} <= set(FILES)


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
