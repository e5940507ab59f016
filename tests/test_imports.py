"""What a command imports: in a fresh process, as torch in this one would hide it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

STORED = str(Path(__file__).with_name("reporters") / "report.json")
RUN = """
import atexit, sys
allowed, *sys.argv[1:] = sys.argv[1:]
sys.argv[0] = "graphaudit"
roots = lambda: {name.partition(".")[0] for name in sys.modules}
atexit.register(lambda: print("imported:", *sorted(roots() & set(allowed.split(",")))))
from graphaudit.cli import main
main()
"""


def imported(names: str, *arguments: str) -> list[str]:
    """Run the command line, and say which of `names` it imported."""
    result = subprocess.run(
        [sys.executable, "-c", RUN, names, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in result.stderr
    return result.stdout.splitlines()[-1].split()[1:]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["scan", "--help"],
        ["gate", STORED],
        ["report", STORED],
        ["report", STORED, "--output-format", "json"],
        ["explain"],
        ["explain", "GA001"],
        ["explain", "GB0069"],
        ["explain", "GA998"],
        ["scan", "nowhere"],
        ["scan", str(Path(__file__).with_name("reporters"))],
    ],
)
def test_no_torch(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads a stored report or only our own texts never imports torch, numpy or pandas."""
    monkeypatch.chdir(tmp_path)
    assert imported("torch,torchgen,triton,numpy,pandas,graphaudit", *arguments) == ["graphaudit"]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["scan", "--help"]])
def test_help_imports_only_click(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Help costs what click costs."""
    monkeypatch.chdir(tmp_path)
    assert imported("click,rich,msgspec,jinja2,tomllib", *arguments) == ["click"]


def test_json_needs_no_rich(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report for machines does not pay for the table."""
    monkeypatch.chdir(tmp_path)
    assert imported("rich,msgspec", "report", STORED, "--output-format", "json") == ["msgspec"]


def test_help_is_fast() -> None:
    """`--help` takes at most 8 times a bare interpreter; the fastest of some runs counts."""
    bare = fastest("-c", "pass")
    assert fastest("-m", "graphaudit", "--help") < 8 * bare


def fastest(*arguments: str) -> float:
    """Give the shortest of nine runs, in seconds."""
    return min(seconds(*arguments) for _ in range(9))


def seconds(*arguments: str) -> float:
    """Time one run."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start
