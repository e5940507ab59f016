"""Function transforms (`vmap`, `grad`, `jvp`) that the graph has entered where it has been run.

Dynamo enters each one itself while it traces: fake tensors are wrapped at a level of its own. Real
ones are wrapped at a level of theirs, so what runs for real stands on layers apart. Of the levels
of forward differentiation there can be only one: while Dynamo is inside, both share it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch._C import _autograd, _functorch
from torch.autograd import forward_ad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_Flags = tuple[bool, bool, str | None]


def depth() -> int:
    """Give how many transforms are at work in this thread, one in another."""
    return int(_functorch.get_dynamic_layer_stack_depth())


class Transforms:
    """The layers on which the nodes of one graph run, and real steps between them."""

    def __init__(self) -> None:
        self._layers: list[Any] = []  # outermost first
        self._flags = _flags()
        self.shares_dual = False  # whether tangents end when Dynamo leaves its level
        self._has_dual = False

    @property
    def depth(self) -> int:
        """How many the graph is in, where it was run to."""
        return len(self._layers)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Be where the graph is that was run so far, not where the trace is."""
        others, flags = _taken(), _flags()
        _put(self._layers)
        _set_flags(self._flags)
        try:
            yield
        finally:
            self._flags, self._layers = _flags(), _taken()
            _put(others)
            _set_flags(flags)

    def special(self, name: str) -> Callable[..., Any] | None:
        """Give what is run in place of an operator that enters or leaves a dual level."""
        if name == "_enter_dual_level":
            return self._enter_dual
        return self._exit_dual if name == "_exit_dual_level" else None

    def close(self) -> None:
        """Leave what was entered."""
        with self.entered():
            _functorch.pop_dynamic_layer_stack_and_undo_to_depth(0)
        if self._has_dual:
            self._exit_dual()

    def _enter_dual(self) -> int:
        self.shares_dual = forward_ad._current_level >= 0
        if self.shares_dual:
            return int(forward_ad._current_level)
        self._has_dual = True
        return int(torch._C._enter_dual_level())

    def _exit_dual(self, *, level: int = 0) -> None:
        if self._has_dual:
            torch._C._exit_dual_level(level=level)
        self.shares_dual = self._has_dual = False


def _taken() -> list[Any]:
    taken: list[Any] = []
    while _functorch.peek_interpreter_stack() is not None:
        taken.append(_functorch.pop_dynamic_layer_stack())
    return taken[::-1]


def _put(layers: list[Any]) -> None:
    for layer in layers:
        _functorch.push_dynamic_layer_stack(layer)


def _flags() -> _Flags:
    return (
        _functorch.get_inplace_requires_grad_allowed(),
        torch._C._is_fwd_grad_enabled(),
        _autograd._saved_tensors_hooks_get_disabled_error_message(),
    )


def _set_flags(flags: _Flags) -> None:
    may_require, has_forward, no_hooks = flags
    _functorch.set_inplace_requires_grad_allowed(may_require)
    torch._C._set_fwd_grad_enabled(has_forward)
    if no_hooks is None:
        _autograd._saved_tensors_hooks_enable()
    else:
        _autograd._saved_tensors_hooks_disable(no_hooks)
