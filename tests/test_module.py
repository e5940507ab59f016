"""Import of files under the name that their package gives them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from graphaudit._target.module import import_file, import_root

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def imports(tmp_path: Path) -> Iterator[None]:
    """Put the folder on the path, and forget what was imported."""
    before, modules = list(sys.path), set(sys.modules)
    sys.path.insert(0, str(tmp_path))
    yield
    sys.path[:] = before
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def write(path: Path, text: str = "") -> Path:
    """Write a file and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_package_is_imported_by_its_dotted_name(tmp_path: Path) -> None:
    """Relative imports in the file work."""
    write(tmp_path / "eng_a" / "__init__.py")
    write(tmp_path / "eng_a" / "sub" / "__init__.py", "VALUE = 3\n")
    file = write(tmp_path / "eng_a" / "sub" / "audit.py", "from . import VALUE\n")

    assert import_root(file) == tmp_path
    module = import_file(file)

    assert (module.__name__, module.VALUE) == ("eng_a.sub.audit", 3)


def test_the_init_file_itself(tmp_path: Path) -> None:
    """It is the package, not a module `__init__`."""
    file = write(tmp_path / "eng_b" / "__init__.py", "VALUE = 4\n")

    assert import_file(file).__name__ == "eng_b"


def test_a_name_that_another_module_has(tmp_path: Path) -> None:
    """`types.py` beside the code is not the standard library's."""
    file = write(tmp_path / "types.py", "VALUE = 5\n")

    assert import_file(file).VALUE == 5
    assert sys.modules["types"].__file__ != str(file)


@pytest.mark.parametrize("name", ["001_case.py", "with-dash.py", "two.dots.py"])
def test_a_name_that_is_no_identifier(tmp_path: Path, name: str) -> None:
    """Such files exist; the convention does not exclude them."""
    assert import_file(write(tmp_path / name, "VALUE = 6\n")).VALUE == 6
