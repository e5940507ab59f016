"""Entries over platforms in the table: a row for each entry, a column for each platform."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.text import Text

from graphaudit.reporters._entries import ALLOWED, STYLES, stopped_lines
from graphaudit.reporters._paint import flow, labelled
from graphaudit.reporters._text import shortened
from graphaudit.reporters._visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphaudit.model import Entry
    from graphaudit.reporters._sites import Shown

_NARROWEST: Final = 10
_NOT_MEANT: Final = "-"

_Row = dict[str, "tuple[Entry, Shown]"]


def matrix_lines(entries: Sequence[tuple[Entry, Shown]], *, width: int) -> list[Text]:
    """Draw a heading and each entry: its outcome on each platform, then its id.

    A dash stands where an entry is not meant for a platform. Below it stand the messages of what
    could not be traced, each with its platforms.
    """
    platforms = list(dict.fromkeys(entry.platform for entry, _ in entries))
    column = max(_NARROWEST, *(len(name) + 2 for name in platforms))
    heading = "".join(name.ljust(column) for name in map(visible, platforms))
    lines = [Text(f"{heading}entry", "dim")]
    for _, cells in groupby(entries, key=lambda pair: pair[0].id):
        row = {entry.platform: (entry, shown) for entry, shown in cells}
        lines += flow(_pieces(row, platforms, column), width=width, indent=_NARROWEST, gap=0)
        lines += _below(row, width)
    return lines


def _pieces(row: _Row, platforms: Sequence[str], column: int) -> list[Text]:
    outcomes = Text()
    for name in platforms:
        shown = row[name][1] if name in row else _NOT_MEANT
        style = STYLES[row[name][1]] if name in row else "dim"
        outcomes.append(shown.ljust(column), style)
    entry = next(iter(row.values()))[0]
    pieces = [outcomes, Text(visible(entry.id))]
    if entry.gate == "default":
        pieces.append(Text(f"  {ALLOWED}", "dim"))
    return pieces


def _below(row: _Row, width: int) -> list[Text]:
    """Say why an entry was not traced, and where a search ended early; equal texts once."""
    lines: list[Text] = []
    for entry, names in _grouped(row, lambda entry: entry.message):
        text = f"on {names}: {shortened(entry.message)}" if entry.message else ""
        lines += labelled("", text, width=width, column=_NARROWEST)
    for entry, names in _grouped(row, lambda entry: entry.stopped_at):
        lines += stopped_lines(entry, width=width, platform=names)
    return lines


def _grouped(row: _Row, key: Callable[[Entry], object]) -> list[tuple[Entry, str]]:
    """Give the first entry of each key, and the platforms that share it."""
    groups: dict[object, list[Entry]] = {}
    for entry, _ in row.values():
        groups.setdefault(key(entry), []).append(entry)
    return [(same[0], ", ".join(entry.platform for entry in same)) for same in groups.values()]
