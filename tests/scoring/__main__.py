"""Scores graphaudit, and `torch._dynamo.explain`, on a folder of cases.

    python -m tests.scoring FOLDER [--per-file N] [--no-peer] [--json FILE]

Exits 1 if graphaudit disagrees with an expectation. Needs torch and what graphaudit needs, no more.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.scoring.agreement import disagreements
from tests.scoring.expectations import differing, expectations
from tests.scoring.versions import here
from tests.scoring.wrappers import case_files, missing, write


def main() -> int:
    """Score a folder; the exit code."""
    options = _options()
    cases = case_files(options.folder)
    if not cases:
        sys.stderr.write(f"no case files in {options.folder}: their names start with a digit\n")
        return 2
    lacking = {path.stem: missing(path) for path in cases if missing(path)}
    for stem, packages in lacking.items():
        sys.stdout.write(f"NOT RUN {stem}: needs {', '.join(packages)}\n")
    present = [path for path in cases if path.stem not in lacking]
    expected = expectations(present)
    wrong = score(present, expected, per_file=options.per_file)
    for name in sorted(wrong):
        sys.stdout.write(f"WRONG {name}: {'; '.join(wrong[name])}\n")
    right = len(expected) - len(wrong)
    sys.stdout.write(f"graphaudit: {right} of {len(expected)} right ({len(cases)} cases)\n")
    if options.json:
        scores = {**here(), "right": right, "total": len(expected), "wrong": wrong}
        more = {"not_run": lacking, "conditional": differing(present, here())}
        options.json.write_text(json.dumps({**scores, **more}, indent=1, sort_keys=True) + "\n")
    if options.peer:
        _peer(options.folder, expected)
    return 1 if wrong or lacking else 0


def score(
    cases: list[Path], expected: dict[str, dict[str, Any]], *, per_file: int
) -> dict[str, list[str]]:
    """Scan the cases; give the disagreements of each that is not right."""
    report = scan(cases, per_file=per_file)
    entries = {entry["id"].partition("::audit_")[2]: entry for entry in report["entries"]}
    wrong: dict[str, list[str]] = {}
    for name, expect in expected.items():
        entry = entries.get(name)
        found = [one for one in report["findings"] if entry and one["entry"] == entry["id"]]
        bad = disagreements(entry, found, expect) if entry else ["no entry in the report"]
        if bad:
            wrong[name] = bad
    return wrong


def scan(cases: list[Path], *options: str, per_file: int) -> dict[str, Any]:
    """Run graphaudit on generated entries, all gated on the default verdict."""
    with TemporaryDirectory() as name:
        write(cases, Path(name), per_file=per_file)
        output = Path(name, "report.json")
        command = [sys.executable, "-m", "graphaudit", "scan", ".", "--output-format", "json"]
        done = subprocess.run(
            [*command, *options, "--output", str(output)],
            cwd=name,
            capture_output=True,
            text=True,
            check=False,
        )
        if not output.exists():
            raise RuntimeError(f"no report, exit {done.returncode}: {done.stderr[-2000:]}")
        report: dict[str, Any] = json.loads(output.read_bytes())
        return report


def _peer(folder: Path, expected: dict[str, dict[str, Any]]) -> None:
    here, path = str(Path.cwd()), os.environ.get("PYTHONPATH")
    done = subprocess.run(
        [sys.executable, "-m", "tests.scoring.explain_peer", str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (here, path)))},
    )
    counts = json.loads(done.stdout.splitlines()[-1])
    right = sum(counts[name] == expect["distinct"] for name, expect in expected.items())
    sys.stdout.write(f"torch._dynamo.explain: {right} of {len(expected)} right by count\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.scoring", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--per-file", type=int, default=1, help="cases that share a process")
    parser.add_argument("--no-peer", dest="peer", action="store_false")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep the scores")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
