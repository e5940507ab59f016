"""Steps that nobody can see happen: operators on tensors, and conversions of what they give.

Such a step may be done as often as a trace likes. Any other may have an effect.
"""

from __future__ import annotations

from types import BuiltinFunctionType, MethodDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_FUNCTIONS: Final = torch.where.__self__  # type: ignore[attr-defined]
_CONVERSIONS: Final = (bool, int, float, complex, len, repr, str, format)
_PLAIN: Final = (torch.Tensor, torch.dtype, torch.device, bool, int, float, complex, str, slice)
_IN_PLACE: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_BITWISE: Final = ("and", "or", "xor", "lshift", "rshift")
_WRITING: Final = frozenset(
    {
        "__setitem__",
        "__delitem__",
        "__setstate__",
        "backward",
        "register_hook",
        *(f"__i{name}__" for name in (*_IN_PLACE, *_BITWISE)),
    }
)


def is_pure(function: Callable[..., Any], args: Iterable[Any], kwargs: dict[str, Any]) -> bool:
    """Tell whether a call certainly has no effect."""
    if "out" in kwargs or not all(map(_is_plain, (*args, *kwargs.values()))):
        return False
    return function in _CONVERSIONS or _is_operator(function)


def _is_operator(function: Any) -> bool:
    """Tell whether a function is one of torch's in C that writes nothing."""
    name = getattr(function, "__name__", "")
    if name in _WRITING or (name.endswith("_") and not name.endswith("__")):
        return False
    if type(function) is MethodDescriptorType:
        return issubclass(torch.Tensor, function.__objclass__)
    return type(function) is BuiltinFunctionType and _is_torchs(function.__self__)


def _is_torchs(owner: Any) -> bool:
    if isinstance(owner, ModuleType):
        return owner.__name__.startswith("torch._C")
    return type(owner) in (torch.Tensor, torch.nn.Parameter) or owner is _FUNCTIONS


def _is_plain(value: Any) -> bool:
    if type(value) in (tuple, list):
        return all(map(_is_plain, value))
    return value is None or type(value) in (*_PLAIN, torch.nn.Parameter)
