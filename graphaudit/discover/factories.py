"""Factories in a syntax tree, and in the text of a file that has none: `audit_*`, `compare_*`."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from graphaudit.discover.syntax import Parsed, parse
from graphaudit.model import EntryPoint

if TYPE_CHECKING:
    from collections.abc import Iterator

AUDIT: Final = "audit_"
COMPARE: Final = "compare_"

RETURNS: Final = {AUDIT: "(callable, args)", COMPARE: "(eager, safe, args)"}
_IN_TEXT: Final = r"^((?:async[ \t]+)?def[ \t]+({prefix}\w*).*)"
_MAIN: Final = {"__name__", "__main__"}

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def entry_point(path: str, line: int, name: str) -> EntryPoint:
    """Give the entry `name` of the file `path`."""
    return EntryPoint(id=f"{path}::{name}", path=path, line=line, name=name)


def factories(tree: ast.Module, prefix: str) -> list[Definition]:
    """Give the functions of a prefix that are attributes of the module, as its import leaves them.

    Of several with one name the last one counts. `if`, `try`, `with` and loops at the top level are
    looked into, but not the branches that only a type checker or `python file.py` takes.
    """
    nodes = (node for node in top_level(tree) if isinstance(node, Definition))
    found = {node.name: node for node in nodes if node.name.startswith(prefix)}
    return sorted(found.values(), key=lambda node: node.lineno)


def factory_names(text: str, prefix: str) -> dict[str, int]:
    """Give the names of what look like factories in a text, and their lines; for broken files."""
    return {
        match[2]: text.count("\n", 0, match.start()) + 1
        for match in re.finditer(_IN_TEXT.format(prefix=prefix), text, re.MULTILINE)
        if not _needs_arguments(match[1], prefix)
    }


def not_an_entry(node: Definition) -> str | None:
    """Say why this function is none of ours, whatever its name; None if it is an entry."""
    required = _required(node.args)
    if required:
        return (
            f"{node.name} is no entry point: it has required parameters ({', '.join(required)}); "
            "give each a default to make it one"
        )
    return None


def fault(node: Definition, prefix: str) -> str | None:
    """Say why this entry cannot be called as a factory; None if it can."""
    if isinstance(node, ast.AsyncFunctionDef):
        return (
            f"{node.name} is an `async def`: a factory is a plain function that returns "
            f"{RETURNS[prefix]}; write `def`"
        )
    return None


def _needs_arguments(line: str, prefix: str) -> bool:
    """Say whether a line is the whole head of a function that has required parameters."""
    head, _, _ = line.rpartition(":")
    parsed = parse(f"{head}: ...".encode())
    return isinstance(parsed, Parsed) and any(map(not_an_entry, factories(parsed.tree, prefix)))


def _required(args: ast.arguments) -> list[str]:
    positional = [*args.posonlyargs, *args.args]
    keyword_only = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    return [
        *(arg.arg for arg in positional[: len(positional) - len(args.defaults)]),
        *(arg.arg for arg, default in keyword_only if default is None),
    ]


def top_level(tree: ast.Module) -> Iterator[ast.AST]:
    """Give the statements that run when a module is imported, those in its blocks included."""
    # A stack and no recursion: a long chain of `elif` is a deep tree.
    waiting: list[ast.AST] = [*reversed(tree.body)]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and _never_imported(node.test):
            waiting.extend(reversed(node.orelse))
        elif not isinstance(node, Definition | ast.ClassDef):
            waiting.extend(reversed(_blocks(node)))


def _blocks(node: ast.AST) -> list[ast.AST]:
    """Give the statements, handlers and cases directly inside a compound statement."""
    names = ("body", "handlers", "cases", "orelse", "finalbody")
    return [part for name in names for part in getattr(node, name, ())]


def _never_imported(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq):
        sides = (test.left, *test.comparators)
        return {_word(side) for side in sides} == _MAIN
    return _word(test) == "TYPE_CHECKING"


def _word(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
            return word
        case _:
            return None
