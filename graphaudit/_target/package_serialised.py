"""Stubs in what a target writes down while it is imported: a pickled function, say, as JSON."""

from __future__ import annotations

import json
from functools import wraps
from typing import TYPE_CHECKING, Any

from graphaudit._target import stubs
from graphaudit._target.package_phase import is_sealed

if TYPE_CHECKING:
    from collections.abc import Callable


def as_text() -> None:
    """Let JSON hold the text of a stub, as long as the target is imported."""
    default = json.JSONEncoder.default
    if not hasattr(default, "__wrapped__"):
        json.JSONEncoder.default = _lenient(default)  # type: ignore[method-assign]


def _lenient(default: Callable[[json.JSONEncoder, Any], Any]) -> Callable[..., Any]:
    @wraps(default)
    def lenient(self: json.JSONEncoder, o: Any) -> Any:
        if isinstance(o, stubs.Stub) and not is_sealed():
            return repr(o)
        return default(self, o)

    return lenient
