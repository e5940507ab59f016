"""A kind as source text. A marked line says what breaks there and what stands there once mended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.fuzz.kinds import KINDS

if TYPE_CHECKING:
    from tests.fuzz.kinds import Kind

_MARK: Final = "  # ! "
_OR: Final = " | "
_SITE: Final = "  #!"
_BY_NAME: Final = {kind.name: kind for kind in KINDS}


def planted(kind: Kind, number: int, form: str = "{e}") -> str:
    """Give the statement that breaks, its site marked.

    Args:
        kind: What is planted.
        number: Makes names and prints unlike those of others.
        form: How an expression is used, in one line.
    """
    code, look = _texts(kind, number, form)
    lines = zip(code.splitlines(), look.splitlines(), strict=True)
    return "\n".join(_marked(kind, line, other) if _SITE in line else line for line, other in lines)


def clean(kind: Kind, number: int, form: str = "{e}") -> str:
    """Give the look-alike."""
    return _texts(kind, number, form)[1]


def marks(text: str) -> dict[int, Kind]:
    """Read which lines are marked, and with what."""
    lines = enumerate(text.splitlines(), start=1)
    return {i: _BY_NAME[_name(line)] for i, line in lines if _MARK in line}


def mended(text: str) -> str:
    """Put the look-alike into every marked line."""
    return "".join(map(_mended, text.splitlines(keepends=True)))


def _texts(kind: Kind, number: int, form: str) -> tuple[str, str]:
    code, look = (text.replace("{i}", str(number)) for text in (kind.code, kind.look))
    if kind.is_expression:
        return form.replace("{e}", code) + _SITE, form.replace("{e}", look)
    return code, look


def _marked(kind: Kind, line: str, look: str) -> str:
    return f"{line.replace(_SITE, _MARK)}{kind.name}{_OR}{look.strip()}"


def _name(line: str) -> str:
    return line.partition(_MARK)[2].partition(_OR)[0].strip()


def _mended(line: str) -> str:
    if _MARK not in line:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return indent + line.partition(_MARK)[2].partition(_OR)[2]
