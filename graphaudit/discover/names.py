"""What the names in a file stand for, as far as its imports say."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def imported_names(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Give the dotted name that each imported name stands for: `{"t": "torch", "c": "re.compile"}`.

    Imports in functions count for the whole file. `from torch import *` brings `compile`, which is
    in its `__all__`; other star imports bring nothing that we know of.
    """
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(_plain(node))
        elif isinstance(node, ast.ImportFrom):
            names.update(_from(node))
    return names


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """Give what `a.b.c` stands for, imports resolved; empty if it is no such chain of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])


def mentioned(node: ast.AST, names: dict[str, str]) -> set[str]:
    """Give every name and attribute in `node`; an imported one also under its name at home."""
    found: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name):
                found |= {name, names.get(name, name).rpartition(".")[2]}
            case ast.Attribute(attr=name):
                found.add(name)
            case _:
                pass
    return found


def _plain(node: ast.Import) -> Iterator[tuple[str, str]]:
    for item in node.names:
        first = item.name.partition(".")[0]
        yield (item.asname, item.name) if item.asname else (first, first)


def _from(node: ast.ImportFrom) -> Iterator[tuple[str, str]]:
    module = "." * node.level + (node.module or "")
    for item in node.names:
        if item.name != "*":
            yield item.asname or item.name, f"{module}.{item.name}"
        elif module == "torch":
            yield "compile", "torch.compile"
