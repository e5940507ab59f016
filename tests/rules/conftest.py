"""Records for the tests of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from graphaudit.model import Break, Cause, Location

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def make_break() -> Callable[..., Break]:
    """Make a break of which only the named fields matter."""
    return _make_break


def _make_break(
    gb: str | None,
    gb_type: str,
    context: str = "",
    *,
    source: str = "y = call(x)",
    library: str | None = None,
    **fields: Any,
) -> Break:
    texts = {name: fields.pop(name) for name in ("explanation", "hints") if name in fields}
    defaults: dict[str, Any] = {
        "verdict": "default",
        "fullgraph": True,
        "input": 0,
        "warm": False,
        "effect": "resumes",
        "causes": (Cause(gb=gb, gb_type=gb_type, context=context, **texts),),
        "site": _location("model.py", source),
        "library": _location(library, "") if library else None,
        "count": 1,
    }
    return Break(**defaults | fields)


def _location(path: str, source: str) -> Location:
    return Location(path=path, line=3, end_line=3, column=5, qualname="f", source=source)
