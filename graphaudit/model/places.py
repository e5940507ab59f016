"""What discover gives: entry points, and places in files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedAt:
    """From where on breaks may be missing. Without a known place `path` is empty and `line` 0."""

    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPoint:
    """One `audit_*` factory as it stands in a file."""

    id: str  # "engine/audit.py::audit_fa_forward"
    path: str  # POSIX, relative to the folder the scan was started in
    line: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncovered:
    """A place that no factory covers: a `torch.compile` site, or a file that could not be read."""

    path: str
    line: int
    what: str
    kind: Literal["site", "unread"] = "site"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A file that defines entries but cannot be parsed."""

    entry: EntryPoint
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What stands in the scanned files, found without importing them."""

    entries: tuple[EntryPoint, ...] = ()
    uncovered: tuple[Uncovered, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place in a file. `line`, `end_line` and `column` count from 1."""

    path: str
    line: int
    end_line: int
    column: int | None
    qualname: str  # "Class.method", "outer.inner"; "<module>" at the top level
    source: str  # the line, stripped; "" if the file cannot be read
    indent: int = 0  # characters that were stripped in front
