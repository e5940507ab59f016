"""The masked sites of the subjects, whose truth is proved with stock Dynamo."""

from __future__ import annotations

import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from graphaudit._dynamo.see_through.record import preferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight

FOLDER = Path(__file__).parents[2] / "cases" / "see_through"
TRUTH: dict[str, list[tuple[int, str]]] = json.loads((FOLDER / "truth.json").read_text())


@cache
def subjects() -> Any:
    """Import the subjects, once: they are traced as a user's module."""
    spec = importlib.util.spec_from_file_location("see_through_subjects", FOLDER / "subjects.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_truth_has_all_marks() -> None:
    """72 sites in 15 functions."""
    assert len(TRUTH) == 15
    assert sum(map(len, TRUTH.values())) == 72


@pytest.mark.parametrize("name", sorted(TRUTH))
def test_every_site_in_one_run(name: str, see: Callable[..., Sight]) -> None:
    """All lines, no other, to the end."""
    call, args = subjects().subjects()[name]

    sight = see(call, *args)

    assert {preferred(site.stack).line for site in sight.sites} == {line for line, _ in TRUTH[name]}
    assert sight.stopped_at is None


def test_an_error_is_no_break(see: Callable[..., Sight]) -> None:
    """`float(Decimal)` recurses without end in Dynamo, which raises to its user."""
    call, args = subjects().subjects()["objects"]

    (error,) = see(call, *args).errors

    assert error.stack[-1].source == "x = x * float(price) + 1"
    assert error.causes[0].gb_type == "RecursionError"
