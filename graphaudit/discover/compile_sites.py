"""Where a file uses `torch.compile`, as a function or as a decorator.

Recognised by name, imports resolved: `torch.compile` under any alias, `torch.compile(mode=...)`
and `functools.partial(torch.compile, ...)` as decorators or called at once, and a name that one of
these is assigned to in the same file. Not recognised: `getattr(torch, "compile")`, a compile
function that came through a parameter or from a wrapper in another file, `module.compile()`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from graphaudit.discover.names import dotted
from graphaudit.discover.targets import Definition, Scope, names_of_definition, names_of_expression

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPILE: Final = frozenset({"torch.compile", "torch.compiler.compile"})
PARTIAL: Final = "functools.partial"
_LONGEST: Final = 80
# White space that only a broken line has: after an opening bracket, before a closing one.
_BREAK: Final = re.compile(r"(?<=[(\[{])\s*\n\s*|,?\s*\n\s*(?=[)\]}])")


@dataclass(frozen=True, slots=True)
class CompileSite:
    """One use of `torch.compile`."""

    line: int
    what: str  # its source text, shortened
    names: frozenset[str]  # a factory that mentions one of these covers the site
    around: tuple[str, ...]  # the classes and functions it stands in, outermost first


def compile_sites(tree: ast.Module, text: str, names: dict[str, str]) -> list[CompileSite]:
    """Give every use of `torch.compile` in a file, by line.

    Args:
        tree: The file.
        text: Its source.
        names: What its imported names stand for.
    """
    sites = _Sites(text, names)
    if not sites.learn(tree):
        return []
    return sorted(sites.walk(tree), key=lambda site: (site.line, site.what))


class _Sites:
    """One pass over a tree, parents first, so that an outer call claims the inner one."""

    def __init__(self, text: str, names: dict[str, str]) -> None:
        self._text = text
        self._names = dict(names)
        self._claimed: set[ast.AST] = set()

    def learn(self, tree: ast.Module) -> bool:
        """Take in names that a decorator-to-be is assigned to; say whether there is any site."""
        if not any(self._is_compile(node) for node in ast.walk(tree)):
            return False
        used = {name for node in ast.walk(tree) for name in _called(node)}
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    # One that nobody uses here stays a site of its own.
                    if name in used and self._compiles(value):
                        self._names[name] = "torch.compile"
                        self._claim(value)
                case _:
                    pass
        return True

    def walk(self, tree: ast.Module) -> Iterator[CompileSite]:
        """Give the sites. With a stack and no recursion: generated code is deep."""
        waiting: list[tuple[ast.AST, Scope]] = [(tree, Scope())]
        while waiting:
            node, scope = waiting.pop()
            inner = scope
            if isinstance(node, Definition):
                yield from self._decorators(node, scope)
                inner = scope.inside(node)
            elif isinstance(node, ast.Call) and node not in self._claimed:
                yield from self._call(node, scope)
            waiting.extend((child, inner) for child in ast.iter_child_nodes(node))

    def _decorators(self, node: Definition, scope: Scope) -> Iterator[CompileSite]:
        for decorator in node.decorator_list:
            if self._compiles(decorator):
                self._claim(decorator)
                what = f"@{self._source(decorator)} on {node.name}"
                names = names_of_definition(node, scope)
                yield CompileSite(decorator.lineno, what, names, scope.names)

    def _call(self, node: ast.Call, scope: Scope) -> Iterator[CompileSite]:
        function, target = self._split(node)
        if function is not None and self._compiles(function):
            self._claim(function)
            names = names_of_expression(target, scope)
            yield CompileSite(node.lineno, self._source(node), names, scope.names)

    def _compiles(self, node: ast.expr) -> bool:
        """Say whether `node` is something to be called with what to compile."""
        if isinstance(node, ast.IfExp):
            return self._compiles(node.body) or self._compiles(node.orelse)
        if isinstance(node, ast.Call):
            function, target = self._split(node)
            return function is not None and target is None and self._compiles(function)
        return self._is_compile(node)

    def _is_compile(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name | ast.Attribute) and dotted(node, self._names) in COMPILE

    def _split(self, node: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
        """Give the function of a call, seen through `partial`, and its argument `model`."""
        function: ast.expr | None = node.func
        args = node.args
        if dotted(node.func, self._names) == PARTIAL:
            function, args = (args[0], args[1:]) if args else (None, [])
        named = [item.value for item in node.keywords if item.arg == "model"]
        return function, next(iter([*args, *named]), None)

    def _claim(self, node: ast.expr) -> None:
        self._claimed.update(ast.walk(node))

    def _source(self, node: ast.expr) -> str:
        source = ast.get_source_segment(self._text, node) or ""
        source = " ".join(_BREAK.sub("", source).split())
        return source if len(source) <= _LONGEST else f"{source[: _LONGEST - 3]}..."


def _called(node: ast.AST) -> Iterator[str]:
    """Give the names that `node` calls or decorates with."""
    functions: list[ast.expr] = []
    if isinstance(node, ast.Call):
        functions = [node.func]
    elif isinstance(node, Definition):
        functions = node.decorator_list
    for function in functions:
        if isinstance(function, ast.Name):
            yield function.id
