"""Whose code a file is."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import torch

import graphaudit
from graphaudit._target.belongs import is_runtime, is_targets

STDLIB = sysconfig.get_path("stdlib")


@pytest.mark.parametrize(
    ("path", "targets", "runtime"),
    [
        ("/home/me/model.py", True, False),
        ("generated.py", True, False),
        ("/home/me/venv/lib/python3.11/site-packages/timm/layers.py", False, False),
        (f"{STDLIB}/contextlib.py", False, True),
        (f"{STDLIB}/site-packages/timm/layers.py", False, False),
        (f"{Path(torch.__file__).parent}/nn/modules/linear.py", False, True),
        (graphaudit.__file__, False, False),
        ("<frozen importlib._bootstrap>", False, True),
        ("<string>", False, True),
        ("", False, False),
    ],
)
def test_owner(path: str, targets: bool, runtime: bool) -> None:
    """The target's, a library's, or of what every program runs on."""
    assert (is_targets(path), is_runtime(path)) == (targets, runtime)


def test_standard_library_behind_a_link(tmp_path: Path) -> None:
    """A Python in a folder that is linked names its files by the link."""
    link = tmp_path / "python"
    link.symlink_to(sys.base_prefix)
    program = (
        "import contextlib, json, sysconfig\n"
        "from graphaudit._target.belongs import is_stdlib, is_targets\n"
        "path = contextlib.contextmanager.__code__.co_filename\n"
        "print(json.dumps([path, sysconfig.get_path('stdlib'), is_stdlib(path), is_targets(path)]))"
    )
    python = link / Path(sys.executable).resolve().relative_to(sys.base_prefix)
    paths = [path for path in sys.path if path and not path.startswith(sys.base_prefix)]
    done = subprocess.run(
        [python, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(paths)},
    )

    path, named, stdlib, targets = json.loads(done.stdout)
    assert path.startswith(str(link))
    assert (stdlib, targets) == (True, False), named
