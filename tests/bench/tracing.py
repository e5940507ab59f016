"""What a scan adds to the traces themselves: 20 entries in one file against a bare loop.

Imports are in neither: an entry's `seconds` start when torch and the file are imported.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.bench.row import Row

_ENTRIES: Final = 20
_RUNS: Final = 5
_STOCK: Final = ("--no-see-through", "--output-format", "json")
_TARGET: Final = """\
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(16, 64), torch.nn.Linear(64, 16)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(*(Block() for _ in range(4)))


def broken(x):
    for block in model():
        x = block(x)
    print("done")
    return x * 2

"""
_ENTRY: Final = """
def audit_{number}():
    return {call}, (torch.ones({rows}, 16),)

"""
_LOOP: Final = """
import time
import torch
import torch._dynamo.symbolic_convert
import target

def trace(factory, **options):
    torch.compiler.reset()
    call, args = factory()
    def backend(graph, inputs):
        return graph.forward
    compiled = torch.compile(call, backend=backend, **options)
    try:
        compiled(*args)
        if not options:
            compiled(*args)
    except torch._dynamo.exc.Unsupported:
        return False
    return True

spent = time.perf_counter()
for factory in [getattr(target, name) for name in dir(target) if name.startswith("audit_")]:
    if not trace(factory, fullgraph=True):
        trace(factory)
print(time.perf_counter() - spent)
"""


def rows() -> list[Row]:
    """Measure clean entries and broken ones."""
    return [
        Row(
            what=f"scan of {_ENTRIES} {name} entries in one file",
            floor="the same torch.compile traces in a loop",
            ratio=_ratio(call),
            limit=1.15,
        )
        for name, call in (("clean", "model()"), ("broken", "broken"))
    ]


def _ratio(call: str) -> float:
    with TemporaryDirectory() as name:
        folder = Path(name)
        entries = (_ENTRY.format(number=n, call=call, rows=n + 2) for n in range(_ENTRIES))
        (folder / "target.py").write_text(_TARGET + "".join(entries))
        (folder / "loop.py").write_text(_LOOP)
        seconds = [(_scan(folder), _loop(folder)) for _ in range(_RUNS)]
        scan, loop = (statistics.median(column) for column in zip(*seconds, strict=True))
        return scan / loop


def _scan(folder: Path) -> float:
    command = [sys.executable, "-m", "graphaudit", "scan", "target.py", *_STOCK]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return sum(float(entry["seconds"]) for entry in json.loads(done.stdout)["entries"])


def _loop(folder: Path) -> float:
    command = [sys.executable, "loop.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return float(done.stdout.splitlines()[-1])
