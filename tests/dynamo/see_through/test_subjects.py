"""The masked sites of the marked functions, whose truth is proved with stock Dynamo."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.scoring.masked.files import FOLDER, MaskedFile, masked_files
from tests.scoring.masked.proof import read_truth
from tests.scoring.masked.views import by_see_through, quiet
from tests.scoring.versions import here

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight

TRUTH = read_truth()
FUNCTIONS = [(file, name) for file, functions in TRUTH.items() for name in functions]


def test_truth_is_of_the_marks() -> None:
    """Every mark of every file is proved in a function, and nothing else is."""
    marked = {
        file.path.stem: {line for line, mark in file.marks.items() if mark.is_site(here())}
        for file in masked_files()
    }
    proved = {
        file: {line for sites in functions.values() for line, _ in sites}
        for file, functions in TRUTH.items()
    }

    assert proved == marked


def test_each_function_has_breaks_that_mask_breaks() -> None:
    """15 subjects, and more than 30 functions with 2 to 8 sites each."""
    assert len(TRUTH["subjects"]) == 15
    assert sum(map(len, TRUTH["subjects"].values())) == 72
    more = [(file, name) for file, name in FUNCTIONS if file != "subjects"]
    assert len(more) >= 30
    assert all(2 <= len(TRUTH[file][name]) <= 8 for file, name in more)


@pytest.mark.parametrize(("file", "name"), FUNCTIONS)
def test_every_site_in_one_run(file: str, name: str) -> None:
    """All lines, no other, to the end."""
    shown = by_see_through(MaskedFile(FOLDER / f"{file}.py").call(name))

    assert shown.lines == {line for line, _ in TRUTH[file][name]}
    assert not shown.elsewhere
    assert not shown.stopped


def test_an_error_is_no_break(see: Callable[..., Sight]) -> None:
    """`float(Decimal)` recurses without end in Dynamo, which raises to its user."""
    given = MaskedFile(FOLDER / "subjects.py").call("objects")

    with quiet():
        (error,) = see(given.call, *given.args).errors

    assert "x * float(price) + 1" in error.stack[-1].source
    assert error.causes[0].gb_type == "RecursionError"
