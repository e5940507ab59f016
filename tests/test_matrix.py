"""What scores are made of: conditions, environments, the table. Made by `make matrix`."""

from __future__ import annotations

import platform
import stat
from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.matrix.__main__ import merged
from tests.matrix.environments import MissingInterpreter, interpreter
from tests.matrix.inside import held, judged
from tests.matrix.table import is_right, table
from tests.scoring import golden
from tests.scoring.agreement import disagreements
from tests.scoring.expectations import differing, expectations
from tests.scoring.versions import REFERENCE, here, holds

if TYPE_CHECKING:
    from pathlib import Path

NEWER = {"python": "3.13.0", "torch": "2.14.1+cu130", "cuda": "13.0"}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("torch>=2.14", True),
        ("torch==2.14", True),
        ("torch>2.14", False),
        ("torch<2.14", False),
        ("torch<2.14.2", True),
        ("torch<=2.13", False),
        ("python>=3.9", True),
        ("python<3.13", False),
        ("torch>=2.14, python>=3.13", True),
        ("torch>=2.14, python<3.13", False),
        ("cuda>=1", True),
        ("cuda<1", False),
    ],
)
def test_condition(condition: str, *, expected: bool) -> None:
    """By numbers, as many as it names."""
    assert holds(condition, NEWER) is expected


@pytest.mark.parametrize(
    "condition", ["", "torch", "torch>=", "numpy>=2", "torch=>2.14", "torch>=2,"]
)
def test_what_is_no_condition(condition: str) -> None:
    """Never passes for one that does not hold, even behind one that does not."""
    with pytest.raises(ValueError, match="no condition on a version"):
        holds(f"torch<2, {condition}", NEWER)


def test_versions_of_this_interpreter() -> None:
    """As torch itself says."""
    found = here()

    assert found["python"] == platform.python_version()
    assert found["torch"] == torch.__version__
    assert found["cuda"] == (torch.version.cuda or "0")


CASE = """\
EXPECT = {
    "breaks": [{"line": 3, "gb": "GB0001", "kind": "resume"}],
    "graphs": 2,
    "fullgraph": {"gb": "GB0001", "line": 3},
    "variants": {"other": {"breaks": [], "graphs": 1, "fullgraph": None, "raises": "ValueError"}},
}
# Why it is so.
EXPECT_BY = {
    "torch>=2.14": {"breaks": [], "graphs": 1, "variants": {"other": {"raises": None}}},
    "torch>=2.14, python>=3.13": {"graphs": 7},
}
"""


def test_a_case_may_expect_something_else_of_a_version(tmp_path: Path) -> None:
    """Only what is named, the later condition last; nothing of the reference."""
    case = tmp_path / "001_case.py"
    case.write_text(CASE)
    (as_ever,) = (expectations([case], REFERENCE),)
    other = expectations([case], NEWER)

    assert as_ever["001_case"]["graphs"] == 2
    assert as_ever["001_case__other"]["raises"] == "ValueError"
    assert (other["001_case"]["breaks"], other["001_case"]["graphs"]) == ([], 7)
    assert other["001_case"]["fullgraph"] == {"gb": "GB0001", "line": 3}
    assert other["001_case__other"]["graphs"] == 1
    assert differing([case], REFERENCE) == []
    assert differing([case], NEWER) == ["001_case"]


def test_a_condition_can_take_an_exception_back() -> None:
    """None raises nothing."""
    entry = {"outcome": "clean", "fullgraph": {"ok": True}, "graphs": 1}
    expect: dict[str, Any] = {"breaks": [], "skipped": [], "graphs": 1, "fullgraph": None}
    expect["raises"] = None

    assert disagreements(entry, [], expect) == []
    assert disagreements(entry, [], {**expect, "raises": "ValueError"}) != []


def test_a_claim_may_be_for_some_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On its own or beside others."""
    monkeypatch.setattr(golden, "FOLDER", tmp_path)
    (tmp_path / "one.py").write_text(
        "x = 1  # break: GA001 resumes [torch>=2.14] | GA002 resumes\n"
        "y = 2  # note: GA003 opaque [torch<2.14]\n"
    )

    assert sorted(golden.claimed("one.py", REFERENCE)) == [
        "1 break: GA002 resumes",
        "2 note: GA003 opaque",
    ]
    assert sorted(golden.claimed("one.py", NEWER)) == [
        "1 break: GA001 resumes",
        "1 break: GA002 resumes",
    ]


def script(path: Path, text: str) -> None:
    """Write a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_an_interpreter_on_path_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it really is of that version; a shim that refuses is passed over."""
    on_path, of_pyenv = tmp_path / "bin/python3.12", tmp_path / "versions/3.12.9/bin/python3.12"
    script(on_path, 'echo \'{"python": "3.12"}\'')
    script(of_pyenv, 'echo \'{"python": "3.12"}\'')
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))

    assert interpreter("3.12") == str(on_path)
    script(on_path, "echo 'pyenv: python3.12: command not found' >&2; exit 127")
    assert interpreter("3.12") == str(of_pyenv)


def test_a_missing_interpreter_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the next step."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))

    with pytest.raises(
        MissingInterpreter, match=r"no python3\.12 on PATH .* `pyenv install 3\.12`"
    ):
        interpreter("3.12")


def row(python: str, torch: str, **wrong: list[str]) -> dict[str, Any]:
    """Make the scores of a version."""
    return {
        "python": python,
        "torch": torch,
        "cases": {"right": 9, "total": 10, "conditional": ["a"], "wrong": wrong},
        "golden": {"right": 5, "total": 5, "conditional": [], "wrong": {}},
        "subjects": {"found": 7, "true": 7, "extra": 0, "conditional": ["b"], "wrong": {}},
        "engine": {"clean": 8, "accepted": 3, "new": 0, "stale": 0, "wrong": {}},
        "pairs": {"right": 6, "total": 6, "wrong": {}},
    }


def test_new_scores_take_the_place_of_old_ones() -> None:
    """By version, of whatever patch and build; in order."""
    old = [row("3.9.1", "2.13.0"), row("3.11.7", "2.13.0+cpu"), row("3.11.7", "2.9.0")]
    new = [row("3.11.9", "2.13.0+cu130")]

    assert [(one["python"], one["torch"]) for one in merged(old, new)] == [
        ("3.9.1", "2.13.0"),
        ("3.11.7", "2.9.0"),
        ("3.11.9", "2.13.0+cu130"),
    ]


def test_table_names_what_is_wrong() -> None:
    """A line for each version, and one for each disagreement; what was not scored has a dash."""
    rows = [row("3.11.7", "2.13.0+cpu"), row("3.12.1", "2.13.0", case=["graphs is 1"])]
    lines = table(rows).splitlines()

    assert [is_right(one) for one in rows] == [True, False]
    shown = ["3.11.7", "2.13.0+cpu", "9/10", "5/5", "7/7", "0", "8+3+0", "-", "6/6", "2"]
    assert lines[1].split() == shown
    assert lines[-1] == "WRONG python 3.12.1, torch 2.13.0: cases: case: graphs is 1"


def test_an_engine_entry_with_a_new_finding_is_named() -> None:
    """Beside clean and accepted ones; what could not be traced is no better."""
    report = {
        "entries": [
            {"id": "clean", "platform": "musa", "outcome": "clean", "message": ""},
            {"id": "old", "platform": "musa", "outcome": "breaks", "message": ""},
            {"id": "new", "platform": "musa", "outcome": "breaks", "message": ""},
            {"id": "lost", "platform": "musa", "outcome": "crashed", "message": "SIGSEGV"},
        ],
        "findings": [
            {"entry": "old", "platform": "musa", "gates": True, "accepted": "kept broken"},
            {"entry": "clean", "platform": "musa", "gates": False, "accepted": None},
            {
                "entry": "new",
                "platform": "musa",
                "gates": True,
                "accepted": None,
                "path": "a.py",
                "line": 4,
                "rule": "GA001",
                "effect": "resumes",
            },
        ],
        "stale": [],
    }
    scored = judged(report)

    assert (scored["clean"], scored["accepted"], scored["new"]) == (1, 1, 2)
    assert scored["wrong"] == {
        "new": ["musa: a.py:4 GA001 resumes"],
        "lost": ["musa: crashed: SIGSEGV"],
    }


def test_a_comparison_that_does_not_hold_is_named() -> None:
    """With its platform and packages; the others count."""
    pair = {"id": "a.py::compare_x", "platform": "npu", "packages": {"torchada": "broken"}}
    scored = held(
        {
            "pairs": [
                {**pair, "outcome": "holds", "message": ""},
                {**pair, "outcome": "differs", "message": "eager gives 1, safe 2"},
            ]
        }
    )

    assert (scored["right"], scored["total"]) == (1, 2)
    told = "npu {'torchada': 'broken'}: differs: eager gives 1, safe 2"
    assert scored["wrong"] == {"a.py::compare_x": [told]}
