"""The entries in the table: one line each, the message of a failure below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from graphaudit.reporters._eager import in_graphs
from graphaudit.reporters._paint import flow, labelled
from graphaudit.reporters._text import shortened
from graphaudit.reporters._visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.model import Entry
    from graphaudit.reporters._sites import Shown

STYLES: Final[dict[Shown, str]] = {
    "clean": "green",
    "breaks": "bold red",
    "accepted": "dim",
    "error": "bold red",
    "timeout": "bold red",
    "crashed": "bold red",
}
ALLOWED: Final = "(breaks under fullgraph are allowed)"
_INDENT: Final = 10
_OPERATORS: Final = "operators in graphs"


def entry_lines(entries: Sequence[tuple[Entry, Shown]], *, width: int) -> list[Text]:
    """Draw a heading and each entry: outcome, fullgraph verdict, graphs, operators, id."""
    shares = [in_graphs(entry) for entry, _ in entries]
    column = max(len(_OPERATORS), *map(len, shares)) if set(shares) != {"-"} else 0
    heading = f"  {_OPERATORS:>{column}}" if column else ""
    lines = [Text(f"outcome   fullgraph=True  graphs{heading}  entry", "dim")]
    for entry, shown in entries:
        pieces = _pieces(entry, shown, column)
        lines += flow(pieces, width=width, indent=_INDENT)
        lines += labelled("", shortened(entry.message), width=width, column=_INDENT)
        lines += stopped_lines(entry, width=width)
    return lines


def _pieces(entry: Entry, shown: Shown, column: int) -> list[Text]:
    """Draw one entry, in pieces that a narrow terminal may set below each other."""
    numbers = f"{_fullgraph(entry):<14}  {entry.graphs:>6}"
    if column:
        numbers += f"  {in_graphs(entry):>{column}}"
    pieces = [
        Text.assemble((f"{shown:<10}", STYLES[shown]), numbers),
        Text(visible(entry.id)),
    ]
    if entry.gate == "default":
        pieces.append(Text(ALLOWED, "dim"))
    return pieces


def _fullgraph(entry: Entry) -> str:
    """Say what fullgraph did: ok, where it stops, or a dash where it came to no verdict."""
    verdict = entry.fullgraph
    if verdict.ok:
        return "ok"
    if verdict.gb:
        return f"stops: {visible(verdict.gb)}"
    return "raises" if verdict.gb_type else "-"


def stopped_lines(entry: Entry, *, width: int, platform: str = "") -> list[Text]:
    """Say where the search behind dropped frames ended early."""
    stop = entry.stopped_at
    if stop is None:
        return []
    past = f"past {stop.path}:{stop.line}" if stop.path else "to the end"
    where = f" on {platform}" if platform else ""
    text = f"breaks may be missing{where}: not seen through {past}: {stop.why}"
    return labelled("", text, width=width, column=_INDENT)
