"""Scores graphaudit on runs of real models whose breaks are known.

    python -m tests.scoring.models [ARCHITECTURE/VARIANT ...] [--jobs N]

Prints a table of the runs that break. Exits 1 if anything differs from what was observed.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from tests.scoring.models.agreement import Score, score
from tests.scoring.models.runs import chosen
from tests.scoring.models.scanning import scan
from tests.scoring.models.sights import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.scoring.models.runs import Run


def main() -> int:
    """Score runs; the exit code."""
    options = _options()
    scores = scored(chosen(options.runs), jobs=options.jobs)
    for line in table(scores):
        sys.stdout.write(f"{line}\n")
    return 1 if any(one.wrong for one in scores) else 0


def scored(some: Sequence[Run], *, jobs: int) -> list[Score]:
    """Scan some runs, see through those that break, and judge each."""
    report = scan(some, jobs=jobs)
    sights = listed([run for run in some if not run.is_clean])
    return [score(run, report, sights.get(run.name)) for run in some]


def table(scores: Sequence[Score]) -> list[str]:
    """Show what was found in each run that breaks, and what is wrong."""
    broken = [one for one in scores if not one.run.is_clean]
    lines = [f"{'run':28}{'stock':>6}{'seen':>6}{'added':>6}{'missed':>7}  stopped"]
    for one in broken:
        counts = f"{len(one.run.sites):6}{one.seen:6}{len(one.added):6}{len(one.missed):7}"
        lines.append(f"{one.run.name:28}{counts}  {one.stopped or '-'}")
        lines += _more(one)
    lines += [f"WRONG {one.run.name}: {'; '.join(one.wrong)}" for one in scores if one.wrong]
    right = sum(not one.wrong for one in scores)
    total = sum(len(one.added) for one in broken)
    return [*lines, f"{right} of {len(scores)} runs right; {total} sites beyond stock's"]


def _more(one: Score) -> Iterable[str]:
    for found in one.added:
        yield f"    + {_place(found)} {found['gb'] or '-'} {found['gb_type']}"
    for path, line, gb in one.missed:
        yield f"    - {path}:{line} {gb}"


def _place(found: dict[str, Any]) -> str:
    return f"{found['path'].removeprefix('<site-packages>/')}:{found['line']}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.scoring.models", description=__doc__)
    parser.add_argument("runs", nargs="*", metavar="ARCHITECTURE/VARIANT")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="children at a time")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
