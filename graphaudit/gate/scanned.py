"""What a run says of the entries that a baseline names, indexed once for all its lines."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from graphaudit.gate.entry_ids import base, file_of
from graphaudit.selection import matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from graphaudit.model import Accepted, Entry, Report, SeenBy

# Whether an entry can answer for its lines, by its base, platform and id.
_Answers = dict[str, dict[str, dict[str, bool]]]

SITE_GONE: Final = "the site is gone"
ENTRY_GONE: Final = "the entry is gone"
TRACED: Final = frozenset({"clean", "breaks"})


class Scanned:
    """The entries and files of a run. A file that could not be read may hold any entry."""

    def __init__(self, report: Report) -> None:
        """Index `report`, which stays as it is."""
        places = [place.path for place in report.uncovered if place.kind == "unread"]
        self._unread = _normal(places)
        self._paths = _normal(report.scope.paths)
        self._known = frozenset(map(base, report.scope.entries))
        showing = {found.entry for found in report.findings}
        self._files = frozenset(map(file_of, {*report.scope.entries, *showing}))
        self._answered: dict[SeenBy, _Answers] = {
            "trace": _answers(report.entries, _is_traced),
            "see-through": _answers(report.entries, _is_seen_through),
        }
        keyword = report.scope.keyword
        self._selects = matcher(keyword) if keyword is not None else None
        self._only = frozenset(report.scope.only)
        world = report.environment
        self._other_world = bool(world.without or world.broken or world.stubs)

    def why_stale(self, line: Accepted) -> str:
        """Say why a line that stands for no finding is stale; empty if this run cannot tell."""
        if self._other_world or _is_under(file_of(line.entry), self._unread):
            return ""
        platforms = self._answered[line.seen_by].get(base(line.entry))
        if platforms is not None:
            return SITE_GONE if _is_answered(line, platforms) else ""
        gone = base(line.entry) not in self._known and self._reached(line.entry)
        return ENTRY_GONE if gone and self._asked_for(line.entry) else ""

    def _asked_for(self, entry: str) -> bool:
        """Say whether `entry` was to be seen: what was not named or selected may be there."""
        named = not self._only or base(entry) in self._only
        return named and (self._selects is None or self._selects(base(entry)))

    def lost_file(self, entry: str) -> bool:
        """Say whether the file of `entry` was scanned and holds no entries any more."""
        return file_of(entry) not in self._files and self._reached(entry)

    def _reached(self, entry: str) -> bool:
        """Say whether the run would know `entry` if it were there."""
        path = file_of(entry)
        return _is_under(path, self._paths) and not _is_under(path, self._unread)


def _answers(entries: Iterable[Entry], is_answered: Callable[[Entry], bool]) -> _Answers:
    found: _Answers = {}
    for entry in entries:
        inputs = found.setdefault(base(entry.id), {}).setdefault(entry.platform, {})
        inputs[entry.id] = inputs.get(entry.id, True) and is_answered(entry)
    return found


def _is_traced(entry: Entry) -> bool:
    return entry.outcome in TRACED


def _is_seen_through(entry: Entry) -> bool:
    """Say whether nothing can be hidden in an entry: no break, or looked behind all of them."""
    return entry.complete is True if entry.outcome == "breaks" else entry.outcome == "clean"


def _is_answered(line: Accepted, platforms: Mapping[str, Mapping[str, bool]]) -> bool:
    """Say whether everything was traced that can show the line's site, and anything was.

    On a platform that does not have the line's very input, all inputs of its factory count: their
    number changed, or the factory failed before it gave any.
    """
    there = [inputs for name, inputs in platforms.items() if line.platform in ("*", name)]
    return bool(there) and all(
        inputs[line.entry] if line.entry in inputs else all(inputs.values()) for inputs in there
    )


def _normal(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(map(posixpath.normpath, paths))


def _is_under(path: str, places: frozenset[str]) -> bool:
    """Say whether `path` is one of `places` or lies under one; `.` holds all but `../`."""
    if not places:
        return False
    place = PurePosixPath(posixpath.normpath(path))
    above = {str(folder) for folder in (place, *place.parents)}
    if place.parts[:1] == ("..",):
        above.discard(".")
    return not above.isdisjoint(places)
