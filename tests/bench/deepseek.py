"""A model of 671 billion parameters: time and memory of a scan, against a bare trace of it.

Imports are in neither time: an entry's `seconds` start when torch and the file are imported.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final

from tests.bench.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

_ROOT: Final = Path(__file__).parents[2]
_RUNS: Final = 2
_SCAN: Final = [
    *(sys.executable, "-m", "graphaudit", "scan", "engine/", "-k", "deepseek_v3"),
    *("--platform", "cuda", "--no-see-through", "--no-coverage", "--output-format", "json"),
]
_STOCK: Final = """
import time
import torch
import torch._dynamo.symbolic_convert
from torch._subclasses.fake_tensor import FakeTensorMode
from engine import audit

started = time.perf_counter()
with FakeTensorMode():
    model, args = audit.audit_deepseek_v3_stack()
    torch.compile(model, fullgraph=True, backend="eager")(*args)
print(time.perf_counter() - started)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    """What one process took."""

    seconds: float  # of the trace
    gigabytes: float  # peak of resident memory, children included

    def __str__(self) -> str:
        """Say it in a few letters."""
        return f"{self.seconds:.1f} s, {self.gigabytes:.2f} GB"


def rows() -> list[Row]:
    """Measure the shortest of runs that take turns."""
    costs = [(_scan(), _stock()) for _ in range(_RUNS)]
    scan, stock = (
        min(column, key=lambda cost: cost.seconds) for column in zip(*costs, strict=True)
    )
    return [
        Row(
            what=f"scan of DeepSeek-V3: {scan}",
            floor=f"stock fullgraph trace: {stock}",
            ratio=scan.seconds / stock.seconds,
            limit=1.3,
        )
    ]


def _scan() -> _Cost:
    text, gigabytes = _run(_SCAN)
    (entry,) = json.loads(text)["entries"]
    if entry["outcome"] != "clean":
        raise RuntimeError(f"the scan of DeepSeek-V3 is not clean but {entry['outcome']}")
    return _Cost(seconds=float(entry["seconds"]), gigabytes=gigabytes)


def _stock() -> _Cost:
    text, gigabytes = _run([sys.executable, "-c", _STOCK])
    return _Cost(seconds=float(text.splitlines()[-1]), gigabytes=gigabytes)


def _shortest(costs: Iterable[_Cost]) -> _Cost:
    return min(costs, key=lambda cost: cost.seconds)


def _run(command: list[str]) -> tuple[str, float]:
    """Give what a command prints, and the peak of its memory in GB.

    Raises:
        RuntimeError: It failed.
    """
    with TemporaryFile("w+") as output:
        process = subprocess.Popen(command, cwd=_ROOT, stdout=output, stderr=subprocess.DEVNULL)
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"exit code {process.returncode} from {shlex.join(command)}")
        output.seek(0)
        unit = 1 if sys.platform == "darwin" else 1024  # bytes, or KiB
        return output.read(), usage.ru_maxrss * unit / 1e9
