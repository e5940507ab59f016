"""A Python or a torch that is not known: a clear message, never a wrong list."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from graphaudit._versions import caution, refusal, stranger

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = "import torch\n\n\ndef audit_sin():\n    return torch.sin, (torch.ones(3),)\n"
# what runs first in each process: torch finds another version in the place of its own
OTHER_TORCH = """
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
file = Path(find_spec("torch").origin).with_name("version.py")
spec = spec_from_file_location("torch.version", file)
module = module_from_spec(spec)
spec.loader.exec_module(module)
module.__version__ = {version!r}
sys.modules["torch.version"] = module
"""


@pytest.mark.parametrize("python", ["3.11.0", "3.12.9", "3.13.0rc1"])
@pytest.mark.parametrize("torch", ["2.11.0", "2.13.0+cpu", "2.14.1+cu130", "2.15.0a0+git1a2b3c4"])
def test_what_can_be_traced(python: str, torch: str) -> None:
    """All that was checked, and a newer torch."""
    assert refusal(python=python, torch=torch) == ""


@pytest.mark.parametrize("python", ["3.10.13", "3.14.0", "4.0.0", "2.7.18"])
def test_another_python_is_refused(python: str) -> None:
    """With what it is, and what to do."""
    assert refusal(python=python) == (
        f"graphaudit knows the bytecode of Python 3.11 to 3.13, and this is {python}: "
        "install graphaudit and torch for one of these"
    )


@pytest.mark.parametrize("torch", ["2.10.0+cpu", "2.9.1", "1.13.1"])
def test_an_older_torch_is_refused(torch: str) -> None:
    """By number, not by letters."""
    assert refusal(python="3.11.7", torch=torch) == (
        f"graphaudit reads the breaks of torch 2.11 to 2.14, and this is {torch}: "
        "install one of these beside it"
    )


@pytest.mark.parametrize("torch", ["2.15.0", "3.0.0", "nightly"])
def test_a_newer_torch_is_said(torch: str) -> None:
    """As one that names no number is; what is then missing in it is its strangeness."""
    assert torch in caution(torch)
    assert "checked with (2.11 to 2.14)" in caution(torch)
    assert "(ImportError: x)" in stranger(torch, "ImportError: x")


@pytest.mark.parametrize("torch", ["2.11.0", "2.14.1+cu130"])
def test_a_known_torch_is_not_mentioned(torch: str) -> None:
    """What goes wrong with it is something else."""
    assert caution(torch) == ""
    assert stranger(torch, "ImportError: x") == ""


def scan(folder: Path, first: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Scan an entry in processes that run something first."""
    (folder / "target").mkdir()
    (folder / "target/entry.py").write_text(ENTRY)
    (folder / "first").mkdir()
    (folder / "first/sitecustomize.py").write_text(first)
    paths = [str(folder / "first"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return subprocess.run(
        [sys.executable, "-m", "graphaudit", "scan", ".", *arguments],
        cwd=folder / "target",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_scan_on_another_python(tmp_path: Path) -> None:
    """Ends before torch is imported."""
    done = scan(
        tmp_path,
        "import platform, sys\n"
        "platform.python_version = lambda: '3.14.2'\n"
        "sys.modules['torch'] = None\n",
    )

    assert done.returncode == 2
    assert done.stdout == ""
    assert (
        f"{sys.executable} cannot be used: graphaudit knows the bytecode of Python" in done.stderr
    )
    assert "this is 3.14.2: install graphaudit and torch for one of these" in done.stderr


def test_a_scan_on_an_older_torch(tmp_path: Path) -> None:
    """No list."""
    done = scan(tmp_path, OTHER_TORCH.format(version="2.10.0+cpu"))

    assert done.returncode == 2
    assert done.stdout == ""
    assert "and this is 2.10.0+cpu: install one of these beside it" in done.stderr


def test_a_scan_on_a_newer_torch(tmp_path: Path) -> None:
    """It is traced, and the report says on what."""
    done = scan(tmp_path, OTHER_TORCH.format(version="2.99.0"), "--output-format", "json")
    report = json.loads(done.stdout)

    assert done.returncode == 0
    assert report["environment"]["torch"] == "2.99.0"
    assert report["entries"][0]["outcome"] == "clean"
    assert report["notes"] == [caution("2.99.0")]


def test_a_scan_on_a_torch_with_another_dynamo(tmp_path: Path) -> None:
    """What we stand on has moved."""
    moved = "\nsys.modules['torch._dynamo.convert_frame'] = None\n"
    done = scan(tmp_path, OTHER_TORCH.format(version="2.99.0") + moved)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "the Dynamo of torch 2.99.0 is not as graphaudit knows it (" in done.stderr
    assert "convert_frame" in done.stderr


def test_a_known_torch_that_cannot_be_loaded(tmp_path: Path) -> None:
    """It is no matter of its version."""
    done = scan(tmp_path, "import sys\nsys.modules['torch._dynamo.convert_frame'] = None\n")

    assert done.returncode == 2
    assert f"torch cannot be imported by {sys.executable}" in done.stderr
    assert "convert_frame" in done.stderr
