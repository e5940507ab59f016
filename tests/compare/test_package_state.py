"""How a package that a pair depends on is found, whose parent may be there, gone or failing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from graphaudit._target.package_state import state

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def _parents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"whole": "", "lacking": "import graphaudit_gone\n", "failing": "raise OSError(3)\n"}
    for name, text in texts.items():
        folder = tmp_path / f"graphaudit_{name}"
        folder.mkdir()
        (folder / "__init__.py").write_text(text)
        (folder / "part.py").write_text("raise RuntimeError('it is not imported')\n")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("_parents")
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("json", "present"),
        ("json.decoder", "present"),
        ("json.nothing", "absent"),
        ("os.nothing", "absent"),
        ("graphaudit_gone", "absent"),
        ("graphaudit_gone.part", "absent"),
        ("graphaudit_whole", "present"),
        ("graphaudit_whole.part", "present"),
        ("graphaudit_whole.gone", "absent"),
        ("graphaudit_failing", "present"),
        ("graphaudit_failing.part", "broken"),
        ("graphaudit_lacking.part", "broken"),
    ],
)
def test_a_package_is_looked_for(name: str, found: str) -> None:
    """It is not imported; what stands above it is."""
    assert state(name) == found
    sys.modules.pop("graphaudit_whole", None)
