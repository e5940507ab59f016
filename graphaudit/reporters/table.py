"""The report for people at a terminal: entries, findings by file and line, and what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from graphaudit._paths import is_library
from graphaudit.reporters._eager import eager_lines
from graphaudit.reporters._entries import entry_lines
from graphaudit.reporters._matrix import matrix_lines
from graphaudit.reporters._paint import painted
from graphaudit.reporters._site import site_lines
from graphaudit.reporters._sites import outcomes, sites, state
from graphaudit.reporters._summary import summary
from graphaudit.reporters._tail import next_lines, note_lines, stale_lines, uncovered_lines
from graphaudit.reporters._text import lines
from graphaudit.reporters._world import ran_on_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphaudit.model import Entry, Finding, Report
    from graphaudit.reporters._sites import Shown


def render(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Draw all of `report`, `width` columns wide; a path or a word that is wider stays whole."""
    drawn = _drawn(report, outcomes(report), report.findings, width=width)
    return painted(drawn, width=width, color=color)


def render_news(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Draw the part of `report` that a gate is about: new, stale, untraced; then the summary."""
    entries = [pair for pair in outcomes(report) if pair[1] not in {"clean", "accepted"}]
    new = [found for found in report.findings if state(found) in {"NEW", "error"}]
    drawn = _drawn(replace(report, uncovered=()), entries, new, width=width)
    return painted(drawn, width=width, color=color)


def _drawn(
    report: Report,
    entries: Sequence[tuple[Entry, Shown]],
    findings: Sequence[Finding],
    *,
    width: int,
) -> list[Text]:
    """Draw the blocks that are not empty, a blank line between two."""
    platforms = len({entry.platform for entry in report.entries}) > 1
    blocks = [
        _entries(entries, width=width, platforms=platforms),
        *_site_blocks(findings, width=width, platforms=platforms),
        eager_lines([entry for entry, _ in entries], width=width),
        uncovered_lines(report.uncovered, width=width) if report.uncovered else [],
        stale_lines(report.stale, width=width) if report.stale else [],
        note_lines(report.notes, width=width),
        _last(report, width),
    ]
    filled = [block for block in blocks if block]
    return [line for block in filled for line in (*block, Text())][:-1]


def _entries(entries: Sequence[tuple[Entry, Shown]], *, width: int, platforms: bool) -> list[Text]:
    """Draw a line for each entry, or, on several platforms, a row with a column for each."""
    if not entries:
        return []
    draw = matrix_lines if platforms else entry_lines
    return draw(entries, width=width)


def _site_blocks(
    findings: Sequence[Finding], *, width: int, platforms: bool
) -> Iterator[list[Text]]:
    """Draw a block for each site, and a heading where libraries follow the user's own files."""
    own = None
    for site in sites(findings):
        library = is_library(site[0].path)
        if library and own:
            yield [Text("in libraries", "bold")]
        own = not library
        yield site_lines(site, width=width, platforms=platforms)


def _last(report: Report, width: int) -> list[Text]:
    """Draw what it ran on, and the summary: red where it asks for something."""
    ran_on = report.environment
    asks = report.stale or any(name not in {"clean", "accepted"} for _, name in outcomes(report))
    style = "bold red" if asks else "bold green"
    return [
        *ran_on_lines(ran_on, width=width),
        *(Text(line, style) for line in lines(summary(report), width)),
        *next_lines(report.findings, width=width),
    ]
