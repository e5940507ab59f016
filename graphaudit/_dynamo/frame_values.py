"""What an expression of a guard is worth in a frame, found without running code of the target.

Guards name attributes, items, lengths and types. An attribute that is more than a stored value (a
property, a `__getattr__` of the target's) is left alone: then nothing is told.
"""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST: Final = 60
_PLAIN: Final = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)


class _UntoldError(Exception):
    """The expression has a part that is not looked at."""


def value(expression: str, local: Mapping[str, Any], global_: Mapping[str, Any]) -> str:
    """Give the value of an expression as text; "" where it is not plain or cannot be had."""
    try:
        found = _value(ast.parse(expression, mode="eval").body, local, global_)
    except (_UntoldError, SyntaxError, LookupError, TypeError, AttributeError):
        return ""
    if isinstance(found, type):
        return f"{found.__module__}.{found.__qualname__}".removeprefix("builtins.")
    return repr(found)[:_LONGEST] if type(found) in _PLAIN else ""


def _value(node: ast.AST, local: Mapping[str, Any], global_: Mapping[str, Any]) -> Any:
    def part(inner: ast.AST) -> Any:
        return _value(inner, local, global_)

    match node:
        case ast.Constant(value=constant):
            return constant
        case ast.Name(id=name):
            # Dynamo drops the `L[...]` around a local's name, and keeps `G[...]`
            return global_ if name == "G" and name not in local else local[name]
        case ast.Attribute(value=owner, attr=name):
            return _attribute(part(owner), name)
        case ast.Subscript(value=owner, slice=key):
            return _item(part(owner), part(key))
        case ast.Call(func=ast.Name(id=function), args=[owner]):
            return _called(function, part(owner))
        case _:
            raise _UntoldError


def _called(function: str, owner: Any) -> Any:
    if function == "type":
        return type(owner)
    if function == "len" and type(owner) in (list, tuple, dict, set, frozenset, str):
        return len(owner)
    raise _UntoldError


def _attribute(owner: Any, name: str) -> Any:
    found = inspect.getattr_static(owner, name, _UntoldError)
    if found is _UntoldError and isinstance(owner, torch.nn.Module):
        found = _held(owner, name)
    # what has a `__get__` is not stored, but made on access
    if found is _UntoldError or hasattr(type(found), "__get__"):
        raise _UntoldError
    return found


def _held(module: torch.nn.Module, name: str) -> Any:
    for kind in ("_parameters", "_buffers", "_modules"):
        if name in module.__dict__.get(kind, {}):
            return module.__dict__[kind][name]
    return _UntoldError


def _item(owner: Any, key: Any) -> Any:
    if type(owner) not in (list, tuple, dict):
        raise _UntoldError
    return owner[key]
