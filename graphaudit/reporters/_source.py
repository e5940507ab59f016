"""The quoted source line of a finding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.text import Text

from graphaudit.reporters._visible import visible

if TYPE_CHECKING:
    from graphaudit.model import Finding

_LONGEST: Final = 160
_CUT: Final = "[...]"
_NAME: Final = re.compile(r"[\w.]+")


def source_lines(found: Finding) -> list[Text]:
    """Quote the line of `found`; below it, mark the column where it is known, and say in what."""
    if not found.source:
        return []
    offset = _offset(found)
    start = 0 if offset is None or offset < _LONGEST else offset - _LONGEST // 2
    end = start + _LONGEST
    before = f"{_CUT} " if start else ""
    after = f" {_CUT}" if end < len(found.source) else ""
    quote = f"{before}{visible(found.source[start:end])}{after}"
    lead = mark = ""
    if offset is not None:
        lead = " " * cell_len(before + visible(found.source[start:offset]))
        mark = f"{_mark(found.source, offset)} "
    return [
        Text.assemble((f"{found.line:>6} | ", "cyan"), quote),
        Text.assemble(
            ("       | ", "cyan"),
            (lead + mark, "bold red"),
            (f"in {visible(found.qualname)}", "dim"),
        ),
    ]


def _mark(source: str, offset: int) -> str:
    """Underline the name at `offset` of `source`, or the one character there."""
    name = _NAME.match(source, offset)
    return "^" * (cell_len(name[0]) if name else 1)


def _offset(found: Finding) -> int | None:
    """Say where in `found.source`, which is stripped, its column lies; None if that is unknown."""
    indent = found.detail.get("indent")
    if found.column is None or not isinstance(indent, int):
        return None
    offset = found.column - 1 - indent
    return offset if 0 <= offset < len(found.source) else None
