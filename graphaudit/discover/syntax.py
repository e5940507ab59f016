"""A file as text and syntax tree, or the reason why there is none."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

NO_FILE: Final = "not a file, or a link to nothing"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file that Python can read."""

    text: str
    tree: ast.Module


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A file that Python cannot read."""

    text: str  # as far as it can be read, to search in
    message: str  # "SyntaxError: invalid syntax (line 3)"
    line: int = 1


def read(path: Path) -> bytes | Unparsed:
    """Give the bytes of a file, which may be no file at all: a pipe would never end."""
    try:
        if not path.is_file():
            return Unparsed("", NO_FILE)
        return path.read_bytes()
    except OSError as error:
        return Unparsed("", f"{type(error).__name__}: {error.strerror}")


def parse(data: bytes) -> Parsed | Unparsed:
    """Parse source code as Python does when it imports: encoding cookie, byte order mark."""
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        return _unparsed(data, "SyntaxError: source code cannot contain null bytes", line)
    try:
        text = _decoded(data)
        return Parsed(text, _tree(text))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return _unparsed(data, f"SyntaxError: (unicode error) {error}", line)
    except SyntaxError as error:
        return _unparsed(data, f"{type(error).__name__}: {error.msg}", error.lineno or 1)
    except (MemoryError, RecursionError) as error:
        # The parser's own limits, met by generated files; not a lack of memory.
        return _unparsed(data, f"{type(error).__name__}: too deeply nested to be parsed", 1)


def _decoded(data: bytes) -> str:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.TextIOWrapper(io.BytesIO(data), encoding).read()


def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        # "\d" in a target's string is its own affair.
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _unparsed(data: bytes, message: str, line: int) -> Unparsed:
    # Null bytes are most often UTF-16 or UTF-32, where they stand between the letters.
    text = data.replace(b"\0", b"").decode("utf-8-sig", "replace").lstrip("\ufffd")
    return Unparsed(text, f"{message} (line {line})", line)
