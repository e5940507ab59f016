"""Scores the versions that it runs on: `python -m tests.matrix.inside FILE`, from the root.

Needs torch and what graphaudit needs, and pydantic for two of the cases. Where it ran on another
machine, `python -m tests.matrix --add FILE` takes the scores up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from tests.matrix.environments import ROOT
from tests.scoring import golden
from tests.scoring.__main__ import score
from tests.scoring.expectations import differing, expectations
from tests.scoring.versions import REFERENCE, here
from tests.scoring.wrappers import case_files, missing

if TYPE_CHECKING:
    from collections.abc import Callable

Score = dict[str, Any]

_CASES: Final = ROOT / "tests" / "cases" / "public"
_PER_FILE: Final = 12  # cases that share a process
_SUBJECTS: Final = ROOT / "tests" / "cases" / "see_through"
_SUBJECTS_S: Final = 900  # for one file


def main() -> None:
    """Score everything and write it down."""
    # one platform everywhere: what the expectations were observed on
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    scores: Score = here()
    for name, scored in _PARTS.items():
        start = time.monotonic()
        scores[name] = scored()
        sys.stderr.write(f"{name}: {time.monotonic() - start:.0f} s\n")
    Path(sys.argv[1]).write_text(json.dumps(scores, indent=1, sort_keys=True) + "\n")


def cases() -> Score:
    """Scan every public case and variant."""
    all_ = case_files(_CASES)
    present = [path for path in all_ if not missing(path)]
    expected = expectations(present)
    wrong = score(present, expected, per_file=_PER_FILE)
    return {
        "right": len(expected) - len(wrong),
        "total": len(expected),
        "conditional": differing(present, here()),
        "not_run": [path.stem for path in all_ if missing(path)],
        "wrong": wrong,
    }


def subjects() -> Score:
    """Trace every function with masked breaks, each file in a process of its own."""
    total: Score = {"functions": 0, "true": 0, "found": 0, "extra": 0, "conditional": []}
    wrong: dict[str, list[str]] = {}
    for path in sorted(_SUBJECTS.glob("*.py")):
        scored = _subjects_of(path.stem)
        total["conditional"] += scored["conditional"]
        for name, one in scored["functions"].items():
            total["functions"] += 1
            for what in ("true", "found", "extra"):
                total[what] += one[what]
            if one["wrong"]:
                wrong[f"{path.stem}.{name}"] = one["wrong"]
    return {**total, "wrong": wrong}


def _subjects_of(stem: str) -> Score:
    with TemporaryDirectory() as name:
        answer = Path(name, "answer.json")
        command = [sys.executable, "-m", "tests.matrix.subjects", stem, str(answer)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=_SUBJECTS_S)
        scored: Score = json.loads(answer.read_text())
        return scored


def golden_files() -> Score:
    """Scan the golden files."""
    report = golden.scan()
    bad = {name: golden.disagreements(report, name) for name in golden.FILES}
    wrong = {name: lines for name, lines in bad.items() if lines}
    return {
        "right": len(bad) - len(wrong),
        "total": len(bad),
        "conditional": [
            name
            for name in golden.FILES
            if golden.claimed(name, here()) != golden.claimed(name, REFERENCE)
        ],
        "wrong": wrong,
    }


def engine() -> Score:
    """Scan the engine, gated by its baseline."""
    return judged(_found("scan", "engine/"))


def platforms() -> Score:
    """Scan the engine on all simulated platforms, gated by its baseline."""
    return judged(_found("scan", "engine/", "--platform", "all"))


def pairs() -> Score:
    """Compare the probes on all simulated platforms, with packages in all states."""
    return held(_found("compare", "probes/", "--platform", "all"))


def _found(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "graphaudit", *arguments, "--output-format", "json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"exit {done.returncode}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def held(comparison: dict[str, Any]) -> Score:
    """Count the comparisons that hold; name those that do not."""
    wrong: dict[str, list[str]] = {}
    for pair in comparison["pairs"]:
        if pair["outcome"] != "holds":
            told = f"{pair['platform']} {pair['packages']}: {pair['outcome']}: {pair['message']}"
            wrong.setdefault(pair["id"], []).append(told)
    total = len(comparison["pairs"])
    return {"right": total - sum(map(len, wrong.values())), "total": total, "wrong": wrong}


def judged(report: dict[str, Any]) -> Score:
    """Count the entries of a gated report; name what is new, not traced or stale."""
    gating = [one for one in report["findings"] if one["gates"] and one["accepted"] is None]
    new = {
        (one["entry"], one["platform"]): "{path}:{line} {rule} {effect}".format_map(one)
        for one in gating
    }
    wrong: dict[str, list[str]] = {}
    for entry in report["entries"]:
        key = entry["id"], entry["platform"]
        if key in new or entry["outcome"] not in ("clean", "breaks"):
            told = new.get(key) or f"{entry['outcome']}: {entry['message']}"
            wrong.setdefault(entry["id"], []).append(f"{entry['platform']}: {told}")
    clean = sum(entry["outcome"] == "clean" for entry in report["entries"])
    other = sum(map(len, wrong.values()))
    return {
        "clean": clean,
        "accepted": len(report["entries"]) - clean - other,
        "new": other,
        "stale": len(report["stale"]),
        "wrong": wrong,
    }


_PARTS: Final[dict[str, Callable[[], Score]]] = {
    "cases": cases,
    "subjects": subjects,
    "golden": golden_files,
    "engine": engine,
    "platforms": platforms,
    "pairs": pairs,
}


if __name__ == "__main__":
    main()
