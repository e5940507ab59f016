"""Names and columns of source lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphaudit._target.source import locate, qualname_at

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import functools


@functools.cache
def probe():
    return 1


class Model:
    size = 3

    def forward(self, x):
        def inner(y):
            return [y + i for i in range(3)]

        return inner(x)
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Give a file with nested definitions."""
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    return str(path)


@pytest.mark.parametrize(
    ("line", "qualname"),
    [
        (1, "<module>"),
        (4, "probe"),
        (6, "probe"),
        (7, "<module>"),
        (10, "Model"),
        (12, "Model.forward"),
        (14, "Model.forward.inner"),
        (16, "Model.forward"),
    ],
)
def test_qualname_is_the_innermost_definition(file: str, line: int, qualname: str) -> None:
    """Decorators belong to their function, comprehensions to the function around them."""
    assert qualname_at(file, line) == qualname


def test_locate_gives_the_stripped_line_and_a_column_from_1(file: str) -> None:
    """CPython counts columns from 0."""
    place = locate(file, 14, end_line=14, column=12)

    assert place.source == "return [y + i for i in range(3)]"
    assert place.column == 13
    assert place.qualname == "Model.forward.inner"


def test_column_counts_characters_not_bytes(tmp_path: Path) -> None:
    """CPython's offsets are UTF-8 bytes."""
    path = tmp_path / "umlaut.py"
    path.write_text('größe = "ä"; print(größe)\n')

    assert locate(str(path), 1, column=len('größe = "ä"; '.encode())).column == 14


def test_pseudo_file_has_no_source() -> None:
    """Generated code, as of a dataclass, has no line to show."""
    place = locate("<string>", 3)

    assert (place.source, place.qualname) == ("", "<module>")


def test_file_that_does_not_parse_still_gives_its_line(tmp_path: Path) -> None:
    """A template of another language may stand in a stack."""
    path = tmp_path / "broken.py"
    path.write_text("def f(:\n    pass\n")

    assert locate(str(path), 2).qualname == "<module>"
    assert locate(str(path), 2).source == "pass"


def test_deep_expressions_do_not_matter(tmp_path: Path) -> None:
    """A generated table may add a thousand terms."""
    path = tmp_path / "deep.py"
    path.write_text("def f(x):\n    return " + " + ".join(["x"] * 1200) + "\n")

    assert qualname_at(str(path), 2) == "f"
