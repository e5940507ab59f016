"""What a pass leaves of Dynamo's own in the target."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
import torch

from graphaudit._dynamo.machine import prepared
from graphaudit._target.module import import_file

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

LAZY = """
    import sys
    import torch

    def kernel(x):
        import lazily_imported
        return lazily_imported.run(x)

    def make():
        sys.modules.pop("lazily_imported", None)
        return kernel
"""


@pytest.fixture
def lazy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a module whose function imports another one at its first call."""
    (tmp_path / "lazily_imported.py").write_text("TABLE = [2]\n\ndef run(x): return x * TABLE[0]\n")
    (tmp_path / "lazy.py").write_text(textwrap.dedent(LAZY))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lazily_imported", raising=False)
    return import_file(tmp_path / "lazy.py")


def test_a_first_import_can_be_traced_again_and_again(lazy: Any) -> None:
    """Each time with the module of that time, and without a name of Dynamo's in the globals."""
    for _ in range(3):
        with prepared(fake=False):
            compiled = torch.compile(lazy.make(), backend="eager", fullgraph=True)
            assert compiled(torch.ones(2)).tolist() == [2.0, 2.0]
            assert [name for name in vars(lazy) if name.startswith("__import_")]
        assert [name for name in vars(lazy) if name.startswith("__import_")] == []
