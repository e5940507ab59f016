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
_NEAR: Final = 12


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
    if len(source) <= room and cell_len(visible(source)) <= room:
        return 0, len(source)
    room -= 2 * (len(_CUT) + 1)
    start = max(0, min(offset - room // 3, len(source) - room))
    behind = min(room // 2, cell_len(visible(source[offset : offset + room])))
    while cell_len(visible(source[start:offset])) > room - behind:
        start += 1
    end = min(len(source), start + room)
    while end > offset + 1 and cell_len(visible(source[start:end])) > room:
        end -= 1
    return _between_words(source, start, offset, end)


def _between_words(source: str, start: int, offset: int, end: int) -> tuple[int, int]:
    """Move both ends of a part to the next space inside it, where one is near."""
    if start:
        space = source.find(" ", start, min(start + _NEAR, offset))
        start = max(start, space + 1)
    if end < len(source):
        space = source.rfind(" ", max(end - _NEAR, offset + len(_marked(source, offset))), end)
        end = space if space > 0 else end
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
