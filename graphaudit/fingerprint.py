"""The name of a site that survives moved files, shifted lines and edited comments.

A fingerprint stands in a baseline for years and is compared on every Python that we support. The
`tokenize` module cannot make it: since Python 3.12 it takes f-strings apart and refuses a line with
an open string, so that one line would have two names. A regular expression reads the line instead.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

SEPARATOR: Final = "\x1f"
LENGTH: Final = 16

# A literal that the line does not close runs to its end.
_PIECE: Final = re.compile(
    r'''(?P<literal>"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'(?:\\.|[^\\])*?(?:\'\'\'|\Z)'''
    r"""|"(?:\\.|[^"\\\n])*(?:"|\\?\Z|(?=\n))|'(?:\\.|[^'\\\n])*(?:'|\\?\Z|(?=\n)))"""
    r"""|(?P<comment>\#[^\n]*)|(?P<space>\s+)|(?P<code>[^\s"'\#]+)""",
    re.DOTALL,
)


def normalised(source: str) -> str:
    """Give a source line without its comment, with one space where it has white space.

    String literals keep theirs, and a `#` in one is no comment. The line may be part of a longer
    statement: open brackets and open strings are fine.
    """
    parts: list[str] = []
    for piece in _PIECE.finditer(source):
        if piece["literal"] or piece["code"]:
            parts.append(piece[0])
        elif parts and parts[-1] != " ":
            parts.append(" ")
    return "".join(parts).strip()


def fingerprint(qualname: str, source: str, rule: str) -> str:
    """Name a site by its function, its line (normalised here) and its rule: 16 hex digits."""
    text = SEPARATOR.join((qualname, normalised(source), rule))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:LENGTH]
