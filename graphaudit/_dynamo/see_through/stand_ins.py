"""Steps on fake tensors: where a value is asked for, ones of the same shape stand in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
)
from torch.utils import _pytree as pytree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NO_DATA: Final = (DataDependentOutputException, DynamicOutputShapeException)


def call(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function; once more on ones if it asks for data that fake tensors lack."""
    try:
        return function(*args, **kwargs)
    except _NO_DATA:
        return _call_on_ones(function, args, kwargs)


def _call_on_ones(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    modes: list[Any] = []

    def solid(value: Any) -> Any:
        if not isinstance(value, FakeTensor):
            return value
        modes.append(value.fake_mode)
        return torch.ones(value.shape, dtype=value.dtype)

    this = getattr(function, "__self__", None)
    if isinstance(this, FakeTensor):
        function = getattr(solid(this), function.__name__)
    args, kwargs = pytree.tree_map(solid, (tuple(args), kwargs))

    def fake(value: Any) -> Any:
        return modes[0].from_tensor(value) if isinstance(value, torch.Tensor) else value

    return pytree.tree_map(fake, function(*args, **kwargs))
