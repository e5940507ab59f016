"""Scores graphaudit on other versions of Python and torch, and keeps the scores.

    python -m tests.matrix [--environments FOLDER] [--only NAME] [--add FILE]

Environments are made where they are absent and used again where they are ready. A Python that is
not on this machine is said and left out: the scores that are kept for it stay. Needs the standard
library alone, besides what it installs. Exits 1 if something is other than expected.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.matrix.environments import PAIRS, ROOT, MissingInterpreter, environment
from tests.matrix.table import is_right, table
from tests.scoring.versions import release

SCORES: Final = Path(__file__).with_name("scores.json")
_OWN: Final = "own"


def main() -> int:
    """Score what is asked for; the exit code."""
    options = _options()
    if options.add:
        new = [json.loads(options.add.read_text())]
    else:
        new = [scores(python) for python in _interpreters(options)]
    if not new:
        sys.stderr.write("no version could be scored\n")
        return 2
    kept = merged(read(), new)
    SCORES.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    sys.stdout.write(table(kept))
    return 0 if all(map(is_right, new)) else 1


def read() -> list[dict[str, Any]]:
    """Give the scores that are kept."""
    kept: list[dict[str, Any]] = json.loads(SCORES.read_text()) if SCORES.exists() else []
    return kept


def merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put new scores in the place of older ones of the same Python and torch."""
    rows = {_key(row): row for row in [*old, *new]}
    return [rows[key] for key in sorted(rows)]


def scores(python: Path) -> dict[str, Any]:
    """Score the versions of an interpreter."""
    sys.stderr.write(f"scoring with {python}\n")
    with TemporaryDirectory() as name:
        answer = Path(name, "scores.json")
        subprocess.run(
            [str(python), "-m", "tests.matrix.inside", str(answer)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
        )
        scored: dict[str, Any] = json.loads(answer.read_text())
        return scored


def _interpreters(options: argparse.Namespace) -> list[Path]:
    """Give the project's own interpreter and one for each pair that can be had."""
    found = [Path(sys.executable)] if options.only in (None, _OWN) else []
    for pair in PAIRS:
        if options.only not in (None, pair.name):
            continue
        try:
            found.append(environment(pair, options.environments))
        except MissingInterpreter as missing:
            sys.stderr.write(f"LEFT OUT {pair.name}: {missing}\n")
    return found


def _key(row: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
    """Order by version, so that 3.9 comes before 3.11; patches of a Python are one."""
    return release(row["python"])[:2], release(row["torch"])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    names = [_OWN, *(pair.name for pair in PAIRS)]
    parser.add_argument("--environments", type=Path, default=ROOT / ".matrix", metavar="FOLDER")
    parser.add_argument("--only", choices=names, help="score this one; own: this interpreter")
    parser.add_argument("--add", type=Path, metavar="FILE", help="take up scores from elsewhere")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
