"""Graph coverage in the table: how many operators run in graphs, and which lines run the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from graphaudit.reporters._paint import flow
from graphaudit.reporters._visible import visible
from graphaudit.reporters._words import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.model import EagerLine, Entry

_MOST: Final = 5
_NAMES: Final = 4
_LONGEST: Final = 60  # characters of a line


def in_graphs(entry: Entry) -> str:
    """Say how much of an entry runs in graphs: `31 of 35`; a dash where it was not counted."""
    if entry.ops is None:
        return "-"
    inside, eager = entry.ops["in_graph"], entry.ops["eager"]
    return f"{inside:,} of {inside + eager:,}"


def eager_lines(entries: Sequence[Entry], *, width: int) -> list[Text]:
    """Draw the total, and the lines with most operators outside graphs, over all entries.

    An entry that was traced on several platforms counts once, as on the first.
    """
    entries = list({entry.id: entry for entry in reversed(entries)}.values())[::-1]
    counted = [entry.ops for entry in entries if entry.ops is not None]
    eager = sum(ops["eager"] for ops in counted)
    if not eager:
        return []
    total = eager + sum(ops["in_graph"] for ops in counted)
    lines = [
        Text(f"{eager:,} of {number(total, 'operator')} run outside graphs ({eager / total:.0%})")
    ]
    lines[0].stylize("bold")
    places = _by_place(entries)
    for ops, line in places[:_MOST]:
        names = ", ".join([*line.operators[:_NAMES], *(["..."] if line.operators[_NAMES:] else [])])
        pieces = [
            Text(f"{ops:>8,}  {visible(f'{line.path}:{line.line}')}"),
            Text(visible(_in_one_line(line.source)), "dim"),
            Text(names, "cyan"),
        ]
        lines += flow(pieces, width=width, indent=10)
    if len(places) > _MOST:
        rest = sum(ops for ops, _ in places[_MOST:])
        more = number(len(places) - _MOST, "more line")
        lines.append(Text(f"{rest:>8,}  in {more}, all in the JSON report", "dim"))
    return lines


def _in_one_line(source: str) -> str:
    return source if len(source) <= _LONGEST else f"{source[: _LONGEST - 4]} ..."


def _by_place(entries: Sequence[Entry]) -> list[tuple[int, EagerLine]]:
    """Add up what each line runs in all entries; most first."""
    ops: dict[tuple[str, int], int] = {}
    known: dict[tuple[str, int], EagerLine] = {}
    for entry in entries:
        for line in entry.eager_at:
            place = line.path, line.line
            ops[place] = ops.get(place, 0) + line.ops
            known.setdefault(place, line)
    order = sorted(ops, key=lambda place: (-ops[place], place))
    return [(ops[place], known[place]) for place in order]
