"""Characters that a terminal obeys or hides, spelled out."""

from __future__ import annotations


def visible(text: str) -> str:
    """Give `text` with every character that has no shape of its own as Python writes it.

    Escape codes, bidirectional overrides (they hide code) and lone surrogates come out as letters,
    a line end as well. A tab becomes four spaces.
    """
    return text if text.isprintable() else "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    if char == "\t":
        return "    "
    return char if char.isprintable() else ascii(char)[1:-1]
