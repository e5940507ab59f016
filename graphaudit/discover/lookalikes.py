"""What bears the name of a factory and is no function: a lambda, a partial, a class, an alias.

Such a name is listed, as its author may have meant an entry. A value that is plainly something else
(a number, a logger that a library gives) is not: applications have such names of their own.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from graphaudit.discover.compile_sites import PARTIAL
from graphaudit.discover.factories import RETURNS, Definition, top_level
from graphaudit.discover.names import dotted

if TYPE_CHECKING:
    from collections.abc import Iterator


def lookalikes(tree: ast.Module, names: dict[str, str], prefix: str) -> list[tuple[int, str]]:
    """Give the lines of such names, and why they are no entries, in order.

    Args:
        tree: The file.
        names: What its imported names stand for.
        prefix: That of a factory.
    """
    nodes = list(top_level(tree))
    functions = {node.name for node in nodes if isinstance(node, Definition)}
    found = {
        name: (line, what)
        for node in nodes
        for name, line, what in _named(node, functions, names)
        if name.startswith(prefix) and name not in functions
    }
    return sorted(
        (
            line,
            f"{name} is no entry point: it is {what}, not a `def`; "
            f"write `def {name}():` that returns {RETURNS[prefix]} to make it one",
        )
        for name, (line, what) in found.items()
    )


def _named(
    node: ast.AST, functions: set[str], names: dict[str, str]
) -> Iterator[tuple[str, int, str]]:
    """Give each name that a statement binds to something callable, its line, and what it is."""
    match node:
        case ast.ClassDef(name=name, lineno=line):
            yield name, line, "a class"
        case ast.Assign(targets=targets, value=value, lineno=line):
            what = _callable(value, functions, names)
            for target in targets:
                if what and isinstance(target, ast.Name):
                    yield target.id, line, what
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value, lineno=line):
            if what := _callable(value, functions, names):
                yield name, line, what
        case _:
            pass


def _callable(value: ast.expr, functions: set[str], names: dict[str, str]) -> str:
    """Say what a value is, if it may be meant as a factory; else ""."""
    match value:
        case ast.Lambda():
            return "a lambda"
        case ast.Call(func=func) if dotted(func, names) == PARTIAL:
            return "a partial"
        case ast.Name(id=name) if name in functions:
            return f"another name of {name}"
        case ast.Call(func=ast.Name(id=name)) if name in functions:
            return f"what {name} returns"
        case _:
            return ""
