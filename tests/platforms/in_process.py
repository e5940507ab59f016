"""A fresh process that becomes a platform and answers with JSON: simulation is for good."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_BEFORE = """\
import json
import torch
from graphaudit.platforms.simulate import simulate

simulation = simulate({platform!r}, {device!r})
device = torch.device(simulation.device_type)
answers = {{}}

def ask(name, function, *args, **kwargs):
    try:
        answer = function(*args, **kwargs)
    except Exception as error:
        answer = f"{{type(error).__name__}}: {{str(error).splitlines()[0]}}"
    plain = isinstance(answer, (int, float, str, list, tuple, type(None)))
    answers[name] = answer if plain else str(answer)
"""


def answers(platform: str, code: str, device: str | None = None, **env: str) -> dict[str, Any]:
    """Run `code`, which calls `ask(name, function, ...)`, on a platform; what it was answered."""
    program = (
        _BEFORE.format(platform=platform, device=device) + code + "\nprint(json.dumps(answers))\n"
    )
    done = run(program, **env)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(program: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a program with this interpreter, as a child of a scan runs."""
    path = {"PYTHONPATH": str(_ROOT)}
    return subprocess.run(
        [sys.executable, "-B", "-c", program],
        env={**os.environ, **path, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
