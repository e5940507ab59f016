"""The quoted source line of a finding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.text import Text

from graphaudit.reporters._paint import flow
from graphaudit.reporters._visible import visible

if TYPE_CHECKING:
    from graphaudit.model import Finding

_CUT: Final = "[...]"
_NAME: Final = re.compile(r"[\w.]+")
_LEAST: Final = 20


def source_lines(found: Finding, width: int) -> list[Text]:
    """Quote the line of `found`; below it, mark the column where it is known, and say in what.

    Of a line that is too wide for `width` the part around the column is quoted.
    """
    if not found.source:
        return []
    gutter = f"{found.line:>6} | "
    room = max(_LEAST, width - len(gutter))
    offset = _offset(found)
    start, end = _window(found.source, offset or 0, room)
    before = f"{_CUT} " if start else ""
    after = f" {_CUT}" if end < len(found.source) else ""
    lead = mark = ""
    if offset is not None:
        lead = " " * cell_len(before + visible(found.source[start:offset]))
        mark = "^" * cell_len(visible(_marked(found.source, offset)[: end - offset]))
    below = f"{'| ':>{len(gutter)}}"
    pieces = [Text(lead + mark, "bold red"), Text(f"in {visible(found.qualname)}", "dim")]
    rows = flow([piece for piece in pieces if piece], width=room, indent=0, gap=1)
    return [
        Text.assemble((gutter, "cyan"), f"{before}{visible(found.source[start:end])}{after}"),
        *(Text.assemble((below, "cyan"), row) for row in rows),
    ]


def _window(source: str, offset: int, room: int) -> tuple[int, int]:
    """Say which part of `source` to quote: all, or `room` columns with what is at `offset`."""
    # No character takes less than a column, but those that join another: a few too many go.
    if len(source) <= room and cell_len(visible(source)) <= room:
        return 0, len(source)
    room -= 2 * (len(_CUT) + 1)
    start = max(0, min(offset - room // 3, len(source) - room))
    while cell_len(visible(source[start:offset])) > room // 2:
        start += 1
    end = start
    columns = 0
    while end < len(source) and (end == offset or columns < room):
        columns += cell_len(visible(source[end]))
        end += columns <= room or end <= offset
    return start, end


def _marked(source: str, offset: int) -> str:
    """Give the name at `offset` of `source`, or the one character there."""
    name = _NAME.match(source, offset)
    return name[0] if name else source[offset]


def _offset(found: Finding) -> int | None:
    """Say where in `found.source`, which is stripped, its column lies; None if that is unknown."""
    indent = found.detail.get("indent")
    if found.column is None or not isinstance(indent, int):
        return None
    offset = found.column - 1 - indent
    return offset if 0 <= offset < len(found.source) else None
