"""Texts of strangers, made short enough and wrapped between words."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

from graphaudit.reporters._visible import visible

_LONGEST: Final = 2_000


def shortened(text: str, *, longest: int = _LONGEST) -> str:
    """Give `text`, its middle replaced by a note of how much is missing where it is very long."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"


def lines(text: str, width: int) -> list[str]:
    """Break `text` between words into lines of at most `width` columns.

    A word is never cut, so a path longer than `width` stays whole and can be copied. Line ends
    of `text` stay, and a line that starts with a space is code: it is kept as it is.
    An empty text has no lines.
    """
    if not text.strip():
        return []
    found: list[str] = []
    for line in text.rstrip().replace("\r\n", "\n").split("\n"):
        shown = visible(line.rstrip())
        found += [shown] if shown.startswith(" ") else _wrapped(shown, width)
    return found


def _wrapped(line: str, width: int) -> list[str]:
    """Fill lines of at most `width` columns with the words of `line`."""
    found: list[str] = []
    for word in line.split(" "):
        if found and cell_len(found[-1]) + 1 + cell_len(word) <= width:
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found
