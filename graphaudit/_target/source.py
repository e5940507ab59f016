"""Facts about a source line that a stack frame does not carry: its text and its qualified name.

Names come from the syntax tree and not from code objects: a comprehension is a frame of its own on
Python 3.11 and none on 3.12, Dynamo's resume functions are not in any file; the tree says `f` in
all of these cases, so a fingerprint holds across versions.
"""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from graphaudit._target.words import encodable
from graphaudit.model import Location

if TYPE_CHECKING:
    from collections.abc import Iterator

MODULE: Final = "<module>"

_Scope = tuple[int, int, str]
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def locate(
    path: str, line: int, *, end_line: int | None = None, column: int | None = None
) -> Location:
    """Say what stands at a place of a file.

    Args:
        path: The file, as a code object names it; pseudo files such as `<string>` are allowed.
        line: Counts from 1.
        end_line: Last line of the expression, if it is known.
        column: Offset of the expression in its line, in UTF-8 bytes, from 0 as CPython counts it.

    Returns:
        The location, its column in characters from 1; `source` is empty if there is no such line.
    """
    text = encodable(linecache.getline(path, line))
    return Location(
        path=encodable(path),
        line=line,
        end_line=max(line, end_line or line),
        column=None if column is None or not text else _characters(text, column) + 1,
        qualname=qualname_at(path, line),
        source=text.strip(),
        indent=len(text) - len(text.lstrip()),
    )


def qualname_at(path: str, line: int) -> str:
    """Name the innermost class or function around a line: `Model.forward`, `outer.inner`."""
    around = [scope for scope in _scopes(path) if scope[0] <= line <= scope[1]]
    return max(around, default=(0, 0, MODULE))[2]


@lru_cache(maxsize=512)
def _scopes(path: str) -> tuple[_Scope, ...]:
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    # the parser gives up on absurd nesting with either of the last two
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found: list[_Scope] = []
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, prefix = waiting.pop()
        for child in _statements(node):
            name = prefix
            if isinstance(child, _DEFINITIONS):
                name = f"{prefix}.{child.name}" if prefix else child.name
                first = min([child.lineno, *(item.lineno for item in child.decorator_list)])
                found.append((first, child.end_lineno or first, name))
            waiting.append((child, name))
    return tuple(found)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Give the statements right below a node: definitions stand in no expression."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child


def _characters(text: str, offset_bytes: int) -> int:
    return len(text.encode()[:offset_bytes].decode(errors="ignore"))
