"""Benchmarks, as one table of ratios: `make bench`.

Each row compares with a floor that is measured in the same run, on the same machine. Exits 1 if one
costs more than it may.
"""

from __future__ import annotations

import platform
import sys

import torch

from tests.bench import coverage, deepseek, pairs, see_through, start_up, tracing


def main() -> int:
    """Run everything and print the table; the exit code."""
    rows = [
        *start_up.rows(),
        *tracing.rows(),
        *see_through.rows(),
        *coverage.rows(),
        *pairs.rows(),
        *deepseek.rows(),
    ]
    sys.stdout.write(
        f"{platform.machine()}, Python {platform.python_version()}, torch {torch.__version__}\n\n"
    )
    sys.stdout.write(f"{'what':<44} {'floor':<44} {'ratio':>6} {'limit':>6}\n")
    for row in rows:
        limit = "" if row.limit is None else f"{row.limit:.2f}"
        over = "  OVER" if row.is_over else ""
        sys.stdout.write(f"{row.what:<44} {row.floor:<44} {row.ratio:>6.2f} {limit:>6}{over}\n")
    return int(any(row.is_over for row in rows))


if __name__ == "__main__":
    sys.exit(main())
