"""Dynamo's own list of its breaks: ids, types, explanations and hints.

The file ships inside torch and is read from there; torch itself is not imported, so this works in
milliseconds and in the process that must stay free of torch.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from graphaudit.errors import GraphauditError

_FILE: Final = "_dynamo/graph_break_registry.json"
_FIELDS: Final = ("Gb_type", "Context", "Explanation", "Hints")


class RegistryError(GraphauditError):
    """torch has its list in a form that we do not know: install another one of the two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What Dynamo says of one kind of break. Context and texts may hold `{placeholders}`."""

    gb: str  # "GB0069"
    gb_type: str
    context: str
    explanation: str
    hints: tuple[str, ...]


def entry(gb: str) -> Entry | None:
    """Look up a GB id such as "GB0069".

    Returns:
        The newest text for it; None if torch is not installed or has no such id.

    Raises:
        RegistryError: The list cannot be read.
    """
    return _entries().get(gb)


def entries() -> tuple[Entry, ...]:
    """Get the whole list in the order of its ids; empty if torch is not installed.

    Raises:
        RegistryError: The list cannot be read.
    """
    return tuple(sorted(_entries().values(), key=lambda one: one.gb))


@cache
def _entries() -> dict[str, Entry]:
    path = _path()
    if path is None:
        return {}
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
        return {gb: _entry(gb, versions[-1]) for gb, versions in records.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise RegistryError(
            f"{path}: expected ids with {', '.join(_FIELDS)}, got {error!r}. "
            "Install torch again, or a graphaudit that knows this torch"
        ) from error


def _path() -> Path | None:
    spec = find_spec("torch")
    folders = spec.submodule_search_locations if spec else None
    found = (Path(folder, _FILE) for folder in folders or ())
    return next((path for path in found if path.is_file()), None)


def _entry(gb: str, record: dict[str, Any]) -> Entry:
    gb_type, context, explanation, hints = (record[name] for name in _FIELDS)
    return Entry(
        gb=gb,
        gb_type=str(gb_type),
        context=str(context or ""),
        explanation=str(explanation or ""),
        hints=tuple(map(str, hints or ())),
    )
