"""Instructions without control flow: how many operands, and what they do to real objects."""

from __future__ import annotations

import builtins
import dis
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Emulation:
    """What an instruction does."""

    operands: int
    function: Callable[..., Any]
    has_result: bool = True


_ARITHMETIC: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_COMPARISON: Final = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
_CONVERSIONS: Final = (str, str, repr, ascii)
_SIMPLE: Final = {
    "BINARY_SLICE": Emulation(3, lambda o, start, stop: o[start:stop]),
    "BINARY_SUBSCR": Emulation(2, operator.getitem),
    "DELETE_SUBSCR": Emulation(2, operator.delitem, has_result=False),
    "FORMAT_SIMPLE": Emulation(1, format),
    "FORMAT_WITH_SPEC": Emulation(2, format),
    "GET_ITER": Emulation(1, iter),
    "LIST_TO_TUPLE": Emulation(1, tuple),
    "LOAD_BUILD_CLASS": Emulation(0, lambda: builtins.__build_class__),
    "STORE_SLICE": Emulation(
        4, lambda v, o, start, stop: operator.setitem(o, slice(start, stop), v), has_result=False
    ),
    "STORE_SUBSCR": Emulation(3, lambda v, o, key: operator.setitem(o, key, v), has_result=False),
    "UNARY_INVERT": Emulation(1, operator.invert),
    "UNARY_NEGATIVE": Emulation(1, operator.neg),
    "UNARY_NOT": Emulation(1, operator.not_),
    "UNARY_POSITIVE": Emulation(1, operator.pos),
}
# arguments of CALL_INTRINSIC_1 that Dynamo knows
_INTRINSICS: Final = {5: "UNARY_POSITIVE", 6: "LIST_TO_TUPLE"}


def emulation(inst: Any, scope: dict[str, Any]) -> Emulation | None:
    """Give what an instruction does, or None if it is not known.

    Args:
        inst: Dynamo's instruction.
        scope: The globals of its frame.
    """
    opname = inst.opname
    if opname == "CALL_INTRINSIC_1":
        opname = _INTRINSICS.get(inst.arg, "")
    if opname in _SIMPLE:
        return _SIMPLE[opname]
    maker = _MAKERS.get(opname)
    return maker(inst, scope) if maker else None


def _binary(inst: Any, _scope: Any) -> Emulation:
    symbol = dis._nb_ops[inst.arg][1]  # type: ignore[attr-defined]
    name = _ARITHMETIC[symbol.removesuffix("=")]
    function = getattr(operator, f"i{name}" if symbol.endswith("=") else f"__{name}__")
    return Emulation(2, function)


def _compare(inst: Any, _scope: Any) -> Emulation:
    return Emulation(2, _COMPARISON[inst.argval])


def _contains(inst: Any, _scope: Any) -> Emulation:
    return Emulation(2, lambda item, container: (item in container) != bool(inst.arg))


def _is(inst: Any, _scope: Any) -> Emulation:
    return Emulation(2, lambda one, other: (one is other) != bool(inst.arg))


def _get_attribute(inst: Any, _scope: Any) -> Emulation:
    return Emulation(1, lambda owner: getattr(owner, inst.argval))


def _get_super_attribute(inst: Any, _scope: Any) -> Emulation:
    return Emulation(3, lambda make, cls, this: getattr(make(cls, this), inst.argval))


def _set_attribute(inst: Any, _scope: Any) -> Emulation:
    return Emulation(2, lambda value, owner: setattr(owner, inst.argval, value), has_result=False)


def _delete_attribute(inst: Any, _scope: Any) -> Emulation:
    return Emulation(1, lambda owner: delattr(owner, inst.argval), has_result=False)


def _build_set(inst: Any, _scope: Any) -> Emulation:
    return Emulation(inst.arg, lambda *items: set(items))


def _build_slice(inst: Any, _scope: Any) -> Emulation:
    return Emulation(inst.arg, slice)


def _build_string(inst: Any, _scope: Any) -> Emulation:
    return Emulation(inst.arg, lambda *parts: "".join(parts))


def _build_map(inst: Any, _scope: Any) -> Emulation:
    return Emulation(2 * inst.arg, lambda *items: dict(zip(items[::2], items[1::2], strict=True)))


def _format(inst: Any, _scope: Any) -> Emulation:
    convert = _CONVERSIONS[inst.arg & 3] if inst.arg & 3 else lambda value: value
    return Emulation(1 + bool(inst.arg & 4), lambda value, spec="": format(convert(value), spec))


def _convert(inst: Any, _scope: Any) -> Emulation:
    return Emulation(1, _CONVERSIONS[inst.arg])


def _import(inst: Any, scope: dict[str, Any]) -> Emulation:
    return Emulation(2, lambda level, names: __import__(inst.argval, scope, None, names, level))


def _global(inst: Any, scope: dict[str, Any]) -> Emulation:
    def read() -> Any:
        name = inst.argval
        return scope[name] if name in scope else getattr(builtins, name)

    return Emulation(0, read)


_MAKERS: Final[dict[str, Callable[[Any, dict[str, Any]], Emulation]]] = {
    "BINARY_OP": _binary,
    "BUILD_MAP": _build_map,
    "BUILD_SET": _build_set,
    "BUILD_SLICE": _build_slice,
    "BUILD_STRING": _build_string,
    "COMPARE_OP": _compare,
    "CONTAINS_OP": _contains,
    "CONVERT_VALUE": _convert,
    "DELETE_ATTR": _delete_attribute,
    "FORMAT_VALUE": _format,
    "IMPORT_NAME": _import,
    "IS_OP": _is,
    "LOAD_ATTR": _get_attribute,
    "LOAD_GLOBAL": _global,
    "LOAD_METHOD": _get_attribute,
    "LOAD_SUPER_ATTR": _get_super_attribute,
    "STORE_ATTR": _set_attribute,
}
