"""Scans runs as a user would: one `audit_*` function a run, several in a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from tests.scoring.models.runs import AFTER_A_CALL, FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.scoring.models.runs import Run

_PER_FILE: Final = 6
_TIMEOUT_S: Final = 600  # of one entry: a machine may be busy

_HEADER: Final = f"""\
import sys

sys.path.insert(0, {str(FOLDER)!r})
from hf_models import build
"""
_ENTRY: Final = """

def {entry}():
    call, args, kwargs = build({name!r}, {variant!r})
{first}    return call, args, kwargs


{entry}.gate = "default"
{entry}.repeat = False
"""


def scan(chosen: Sequence[Run], *, jobs: int) -> dict[str, Any]:
    """Give the report on some runs.

    Raises:
        RuntimeError: The scan gave none.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        for start in range(0, len(chosen), _PER_FILE):
            entries = map(_entry, chosen[start : start + _PER_FILE])
            text = _HEADER + "".join(entries)
            (folder / f"runs_{start:03}.py").write_text(text)
        output = folder / "report.json"
        command = [sys.executable, "-m", "graphaudit", "scan", ".", "--output-format", "json"]
        command += ["--no-coverage", "--timeout", str(_TIMEOUT_S), "--jobs", str(jobs)]
        done = subprocess.run(
            [*command, "--output", str(output)],
            cwd=folder,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        if not output.exists():
            raise RuntimeError(f"no report, exit {done.returncode}: {done.stderr[-2000:]}")
        report: dict[str, Any] = json.loads(output.read_bytes())
        return report


def _entry(run: Run) -> str:
    name, _, variant = run.name.partition("/")
    first = "    call(*args, **kwargs)\n" if run.name in AFTER_A_CALL else ""
    return _ENTRY.format(entry=run.entry, name=name, variant=variant, first=first)
