"""Trackers of functions, methods, attributes and context managers -> Python objects."""

from __future__ import annotations

import functools
from importlib import import_module
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final

from torch.utils.checkpoint import checkpoint

from graphaudit._dynamo.see_through.signals import RaisesLate

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.real_values import RealValues


def _nested(values: RealValues, vt: Any) -> Any:
    """Make a function that was defined in the trace."""
    cells = tuple(map(values.cells.of, vt.closure.items if vt.closure else ()))
    made = FunctionType(
        vt.code.as_python_constant(),
        vt.f_globals,
        vt.fn_name.as_python_constant(),
        tuple(values.many(vt.defaults.items)) if vt.defaults else None,
        cells,
    )
    made.__kwdefaults__ = values.real(vt.kwdefaults) if vt.kwdefaults else None
    return made


def _method(values: RealValues, vt: Any) -> Any:
    return MethodType(vt.fn, values.real(vt.obj))


def _partial(values: RealValues, vt: Any) -> Any:
    function, args = values.real(vt.func), values.many(vt.args)
    return functools.partial(function, *args, **values.named(vt.keywords))


def _attribute(values: RealValues, vt: Any) -> Any:
    owner = values.real(vt.obj)
    try:
        return getattr(owner, vt.name)
    except AttributeError as error:
        raise RaisesLate(error) from error


def _super(values: RealValues, vt: Any) -> Any:
    return super(values.real(vt.typevar), values.real(vt.objvar))


def _exception(values: RealValues, vt: Any) -> Any:
    return vt.exc_type(*values.many(vt.args))


def _context_manager(_values: RealValues, vt: Any) -> Any:
    return getattr(import_module(vt.module_name()), vt.fn_name())(*(vt.target_values or ()))


def _submodule(values: RealValues, vt: Any) -> Any:
    return values.output.get_submodule(vt.module_key)


def _checkpoint(_values: RealValues, _vt: Any) -> Any:
    """Dynamo has an operator in the function's place that takes no function but a graph."""
    return checkpoint


MAKERS: Final[dict[str, Callable[[RealValues, Any], Any]]] = {
    "CheckpointHigherOrderVariable": _checkpoint,
    "ContextWrappingVariable": _context_manager,
    "ExceptionVariable": _exception,
    "FunctoolsPartialVariable": _partial,
    "GetAttrVariable": _attribute,
    "NNModuleVariable": _submodule,
    "NestedUserFunctionVariable": _nested,
    "SuperVariable": _super,
    "UserMethodVariable": _method,
}
