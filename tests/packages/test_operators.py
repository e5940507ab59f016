"""Whose operators a stub stands in for: those that a native module would have registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.packages.worlds import run, write_package

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import torch
packages.install(without=[], broken=[], stub=STUBBED)
for name in STUBBED:
    __import__(name)
told["stubs"] = packages.imported()
told["asked"] = [name for name in ("engine", "protocol", "native", "kernels")
    if hasattr(getattr(torch.ops, name), "fused")]
"""


@pytest.mark.parametrize(
    ("stubbed", "asked"),
    [
        (["engine.protocol"], []),  # the engine defines operators under its name, and asks before
        (["engine.native"], ["engine", "native"]),
        (["kernels"], ["kernels"]),  # a file of its own, that wants its library
        (["engine.native", "engine.protocol"], ["engine", "native"]),
    ],
)
def test_what_a_stub_would_have_registered(
    tmp_path: Path, stubbed: list[str], asked: list[str]
) -> None:
    """A native module under its own name and its package's; a source file nothing."""
    write_package(tmp_path, "engine", {"protocol.py": "import really_absent\n"})
    write_package(tmp_path, "kernels", {"__init__.py": "import really_absent\n"})

    assert run(tmp_path, f"STUBBED = {stubbed!r}\n{SCRIPT}") == {"stubs": stubbed, "asked": asked}
