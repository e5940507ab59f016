"""What the table says after the findings: uncovered places, stale lines, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from graphaudit.reporters._paint import flow, labelled
from graphaudit.reporters._sites import sites, state
from graphaudit.reporters._text import lines, shortened
from graphaudit.reporters._visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.model import Finding, Stale, Uncovered

_MOST: Final = 10


def uncovered_lines(places: Sequence[Uncovered], *, width: int) -> list[Text]:
    """List what no factory covers, the first few."""
    lines = [Text("not covered by any audit_* factory", "bold")]
    for place in places[:_MOST]:
        where = Text(f"  {visible(place.path)}:{place.line}")
        lines += flow([where, Text(visible(place.what), "dim")], width=width, indent=4)
    if len(places) > _MOST:
        lines.append(Text(f"  and {len(places) - _MOST:,} more, all in the JSON report", "dim"))
    return lines


def stale_lines(stale: Sequence[Stale], *, width: int) -> list[Text]:
    """List baseline lines that nothing needs any more, and how to drop them."""
    lines = [Text("stale baseline lines", "bold red")]
    for item in stale:
        line = item.line
        names = [f"  {line.entry}", f"on {line.platform}", line.rule, line.path]
        pieces = [Text(visible(name)) for name in names if name]
        lines += flow([*pieces, Text(visible(item.why), "bold")], width=width, indent=4)
        lines += labelled("", shortened(line.source), width=width, column=6)
        lines += labelled("", shortened(f"accepted: {line.reason}"), width=width, column=6)
    advice = "graphaudit scan PATH... --update-baseline takes them out of the baseline"
    lines += labelled("fix", advice, width=width)
    return lines


def note_lines(notes: Sequence[str], *, width: int) -> list[Text]:
    """Say what the reader must know."""
    return [line for note in notes for line in labelled("note", shortened(note), width=width)]


def next_lines(findings: Sequence[Finding], *, width: int) -> list[Text]:
    """Say what can be done about what is new; nothing where nothing is."""
    new = sites([found for found in findings if state(found) == "NEW"])
    if not new:
        return []
    advice = (
        f"`graphaudit explain {new[0][0].rule}` tells more; "
        '`--update-baseline --reason "..."` accepts what is known'
    )
    return [Text(line, "dim") for line in lines(advice, width)]
