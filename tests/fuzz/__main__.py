"""Fuzzes the tracer with many programs.

    python -m tests.fuzz [--count N] [--seed N]

Prints the seed, the count and what went wrong; the smallest program that still fails is shown.
Exits 1 if anything was missed or invented, crashed, or was not left as it was found.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, get_args

from hypothesis import HealthCheck, Phase, given, reject, seed, settings

from tests.fuzz.grammar import programs
from tests.fuzz.oracle import Disagreement, Fault, Finding, judge
from tests.fuzz.program import RaisesError
from tests.fuzz.report import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fuzz.program import Program


def main() -> int:
    """Fuzz; the exit code."""
    options = _options()
    logging.disable(logging.WARNING)  # Dynamo's own, of every break
    started = time.perf_counter()
    totals: Counter[str] = Counter()
    failed: list[Program] = []

    def count(program: Program, finding: Finding) -> None:
        totals["programs"] += 1
        totals["sites"] += finding.sites
        totals["clean"] += not finding.sites
        totals["consequences"] += len(finding.consequences)
        totals.update({one.fault for one in finding.wrong})
        if finding.wrong:
            failed.append(program)
            sys.stdout.write(shown(program, finding.wrong))
        if totals["programs"] % 100 == 0:
            sys.stdout.write(f"... {totals['programs']} programs, {len(failed)} failed\n")
            sys.stdout.flush()

    _each(options, count, (Phase.generate,))
    counts = ", ".join(f"{totals[fault]} {fault}" for fault in get_args(Fault))
    sys.stdout.write(
        f"seed {options.seed}: {totals['programs']} programs, {totals['sites']} planted sites run, "
        f"{totals['clean']} programs without: {counts} "
        f"({totals['consequences']} sites of stock alone, gone with the planted ones), "
        f"{time.perf_counter() - started:.0f} s\n"
    )
    if failed:
        _shrink(options)
    return 1 if failed else 0


def _shrink(options: argparse.Namespace) -> None:
    """Show the smallest program that fails."""
    last: list[str] = []

    def check(program: Program, finding: Finding) -> None:
        if finding.wrong:
            last.append(shown(program, finding.wrong))
            raise AssertionError

    try:
        _each(options, check, (Phase.generate, Phase.shrink))
    except AssertionError:
        sys.stdout.write(f"the smallest:\n{last[-1]}")


def _each(
    options: argparse.Namespace,
    take: Callable[[Program, Finding], None],
    phases: tuple[Phase, ...],
) -> None:
    with TemporaryDirectory() as name:

        @seed(options.seed)
        @settings(
            max_examples=options.count,
            deadline=None,
            database=None,
            phases=phases,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
        )
        @given(programs())
        def run(program: Program) -> None:
            take(program, _judged(program, Path(name)))

        run()


def _judged(program: Program, folder: Path) -> Finding:
    try:
        return judge(program, folder)
    except RaisesError:
        reject()
    # a crash of the tracer is a result
    except Exception as error:  # noqa: BLE001
        return Finding((Disagreement("crashed", repr(error)),), 0, ())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
