"""By which names a factory may mention what a `torch.compile` site compiles."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

# Names that half of all models have: that a factory mentions one says nothing.
GENERIC: Final = frozenset({"cls", "fn", "forward", "func", "function", "model", "module", "self"})
# Methods that give the object back: in `Model().cuda()` the name is `Model`.
SELF_RETURNING: Final = frozenset(
    {"bfloat16", "compile", "cpu", "cuda", "eval", "float", "half", "requires_grad_", "to", "train"}
)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Scope:
    """The classes and functions around a place, outermost first."""

    names: tuple[str, ...] = ()
    parameters: frozenset[str] = frozenset()

    def inside(self, node: Definition) -> Scope:
        """Give the scope of the body of `node`."""
        parameters = self.parameters
        if not isinstance(node, ast.ClassDef):
            args = node.args
            named = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
            parameters |= {arg.arg for arg in named if arg}
        return Scope((*self.names, node.name), parameters)


def names_of_definition(node: Definition, scope: Scope) -> frozenset[str]:
    """Give the names of a decorated function or class: its own, unless that is a generic one."""
    if _is_specific(node.name):
        return frozenset({node.name})
    return _enclosing(scope) or frozenset({node.name})


def names_of_expression(target: ast.expr | None, scope: Scope) -> frozenset[str]:
    """Give the names of an expression that is compiled: its last name, if that says anything.

    Otherwise those further to the left, and the classes and functions around the site. A parameter
    of a function says nothing: any caller may have named it.
    """
    chain = _chain(target)
    specific = [name for name in chain if _is_specific(name) and name not in scope.parameters]
    if specific[:1] == chain[:1] and specific:
        return frozenset(specific[:1])
    return frozenset(specific) | _enclosing(scope)


def _enclosing(scope: Scope) -> frozenset[str]:
    return frozenset(filter(_is_specific, scope.names))


def _is_specific(name: str) -> bool:
    return not (name in GENERIC or name in SELF_RETURNING or name.startswith("__"))


def _chain(node: ast.expr | None) -> list[str]:
    """Give the names in `a.b[0].c(x)`, the last first: c, b, a."""
    names: list[str] = []
    while node is not None:
        match node:
            case ast.Name(id=name):
                return [*names, name]
            case ast.Attribute(attr=name, value=value):
                names.append(name)
                node = value
            case ast.Call(
                func=ast.Name(id="partial") | ast.Attribute(attr="partial"), args=[of, *_]
            ):
                node = of
            case ast.Call(func=value) | ast.Subscript(value=value) | ast.Starred(value=value):
                node = value
            case _:
                return names
    return names
