"""What a command costs that traces nothing, against a bare interpreter."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Final

from tests.bench.row import Row

_RUNS: Final = 15
_FLOOR: Final = [sys.executable, "-c", "pass"]


def rows() -> list[Row]:
    """Measure `--help` and `explain`."""
    floor = best_seconds(_FLOOR)
    commands = (["--help"], ["explain", "GA001"])
    return [
        Row(
            what=f"graphaudit {' '.join(arguments)}",
            floor="python -c pass",
            ratio=best_seconds([sys.executable, "-m", "graphaudit", *arguments]) / floor,
        )
        for arguments in commands
    ]


def best_seconds(command: list[str]) -> float:
    """Give the shortest wall time of several runs."""
    return min(_seconds(command) for _ in range(_RUNS))


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started
