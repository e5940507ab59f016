"""Trackers of tensors, numbers, constants and text -> Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.real_values import RealValues


def _constant(_values: RealValues, vt: Any) -> Any:
    return vt.value


def _from_graph(values: RealValues, vt: Any) -> Any:
    return values.interpreter.value(vt.as_proxy().node)


def _array(values: RealValues, vt: Any) -> Any:
    value = _from_graph(values, vt)
    return value.detach().numpy() if isinstance(value, torch.Tensor) else value


def _number(values: RealValues, vt: Any) -> Any:
    value = _from_graph(values, vt)
    return value.item() if isinstance(value, torch.Tensor) else value


def _text(values: RealValues, vt: Any) -> str:
    args, named = values.many(vt.sym_args), values.named(vt.sym_kwargs)
    return str(vt.format_string.format(*args, **named))


MAKERS: Final[dict[str, Callable[[RealValues, Any], Any]]] = {
    "ConstantVariable": _constant,
    "TensorVariable": _from_graph,
    "SymNodeVariable": _from_graph,
    "NumpyNdarrayVariable": _array,
    "UnspecializedPythonVariable": _number,
    "StringFormatVariable": _text,
}
