"""Texts of strangers, made short enough and wrapped between words."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len, set_cell_size

from graphaudit.reporters._visible import visible

_LONGEST: Final = 2_000
_AFTER: Final = "./_,(=:-"  # where a word may be cut
_FURTHER: Final = 4


def shortened(text: str, *, longest: int = _LONGEST) -> str:
    """Give `text`, its middle replaced by a note of how much is missing where it is very long."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"


def lines(text: str, width: int, *, cut: bool = False) -> list[str]:
    """Break `text` between words into lines of at most `width` columns.

    A word is never cut, so a path longer than `width` stays whole and can be copied. Line ends
    of `text` stay, and a line that starts with a space is code: it is kept as it is. With `cut`,
    both are broken where they are too wide, for else the terminal would do it at its edge.
    An empty text has no lines.
    """
    if not text.strip():
        return []
    found: list[str] = []
    for line in text.rstrip().replace("\r\n", "\n").split("\n"):
        shown = visible(line.rstrip())
        if not shown.startswith(" "):
            found += _wrapped(shown, width, cut=cut)
        elif not cut or cell_len(shown) <= width:
            found.append(shown)
        else:
            found += _wrapped_code(shown, width)
    return found


def _wrapped_code(line: str, width: int) -> list[str]:
    """Fill lines with the words of an indented one, what follows the first indented further."""
    code = line.lstrip(" ")
    indent = min(len(line) - len(code), width // 2)
    first, *rest = _wrapped(code, max(1, width - indent - _FURTHER), cut=True)
    return [f"{' ' * indent}{first}", *(f"{' ' * (indent + _FURTHER)}{more}" for more in rest)]


def _wrapped(line: str, width: int, *, cut: bool) -> list[str]:
    """Fill lines of at most `width` columns with the words of `line`."""
    found: list[str] = []
    words = [part for word in line.split(" ") for part in (_parts(word, width) if cut else [word])]
    for word in words:
        if found and cell_len(found[-1]) + 1 + cell_len(word) <= width:
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found


def _parts(word: str, width: int) -> list[str]:
    """Cut `word` into parts of at most `width` columns, after punctuation where there is any."""
    parts: list[str] = []
    while cell_len(word) > width:
        end = len(set_cell_size(word, width).rstrip()) or 1
        at = max(word.rfind(char, 1, end) for char in _AFTER) + 1 or end
        parts.append(word[:at])
        word = word[at:]
    return [*parts, word]
