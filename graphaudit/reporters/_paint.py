"""Lines of styled text, and the one console that turns them into characters.

Only `Text` objects are printed: in a markup string `kv_cache[layer]` would lose its index.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from graphaudit.reporters import _text

if TYPE_CHECKING:
    from collections.abc import Sequence


def painted(lines: Sequence[Text], *, width: int, color: bool) -> str:
    """Give `lines` as characters: plain, or with escape codes where `color` is set."""
    if not color:
        # What the console would print, at a tenth of the time: a report may have 100,000 lines.
        return "".join(f"{line.plain.rstrip()}\n" for line in lines)
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        color_system="standard",
        force_terminal=True,
        force_jupyter=False,
        legacy_windows=False,
        no_color=False,
        _environ={},  # what a report looks like is said by the caller alone
    )
    for line in lines:
        line.rstrip()
        console.print(line, soft_wrap=True, highlight=False, emoji=False, markup=False)
    return out.getvalue()


def flow(pieces: Sequence[Text], *, width: int, indent: int, gap: int = 2) -> list[Text]:
    """Set `pieces` beside each other; what does not fit starts a line, indented, and is not cut."""
    lines = [Text().append_text(pieces[0])]
    for piece in pieces[1:]:
        if lines[-1].cell_len + gap + piece.cell_len <= width:
            lines[-1].append(" " * gap).append_text(piece)
        else:
            lines.append(Text(" " * indent).append_text(piece))
    return lines


def labelled(
    label: str, text: str, *, width: int, column: int = 10, cut: bool = False
) -> list[Text]:
    """Set `text` at `column`, wrapped, with `label` before its first line.

    With `cut`, nothing is wider than `width`: else what is to be copied as one word stays whole.
    """
    rows = _text.lines(text, width - column, cut=cut)
    labels = [f"  {label}", *([""] * len(rows))]
    return [
        Text.assemble((name.ljust(column), "cyan"), row)
        for name, row in zip(labels, rows, strict=False)
    ]
