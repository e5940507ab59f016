"""The JSON reporter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphaudit import reporters

if TYPE_CHECKING:
    from graphaudit.model import Report


def test_reads_back_the_same(report: Report) -> None:
    """The stored file is, to the byte, what rendering it gives."""
    stored = Path(__file__).with_name("report.json").read_text()
    assert reporters.render("json", report) == stored


def test_width_and_color_are_for_people(report: Report) -> None:
    """Neither changes the JSON."""
    assert reporters.render("json", report, width=40, color=True) == reporters.render(
        "json", report
    )


def test_names_are_the_modules() -> None:
    """Each format is a file, and each file without underscore is a format."""
    folder = Path(reporters.__file__).parent
    for files in (folder, folder / "pairs"):
        names = {path.stem for path in files.glob("*.py") if not path.stem.startswith("_")}
        assert names == set(reporters.NAMES)


def test_unknown_name(report: Report) -> None:
    """A format that does not exist is an error."""
    with pytest.raises(ModuleNotFoundError):
        reporters.render("xml", report)
