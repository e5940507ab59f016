"""Python object -> variable tracker, as a resumed frame would see it: an input with a source."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._C._functorch import is_functorch_wrapped_tensor
from torch._dispatch.python import enable_python_dispatcher
from torch._dynamo.source import GlobalSource
from torch._dynamo.variables import (
    ConstantVariable,
    ListVariable,
    TupleVariable,
    UserDefinedObjectVariable,
)
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.builder import wrap_fx_proxy

from graphaudit._dynamo.see_through.outside import outside
from graphaudit._dynamo.see_through.signals import is_control

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphaudit._dynamo.see_through.real_values import RealValues

_PREFIX: Final = "__see_through_"
_LITERALS: Final = frozenset(
    {
        type(None),
        bool,
        int,
        float,
        str,
        bytes,
        complex,
        torch.dtype,
        torch.device,
        EllipsisType,
    }
)


class Wrapper:
    """Takes real results into the trace of one output graph."""

    def __init__(self, values: RealValues) -> None:
        self._values = values
        self._output = values.output
        self._names: list[str] = []

    def wrap(self, tx: Any, value: Any) -> Any:
        """Give the tracker of a result: one that is known already, or a new input."""
        if type(value) in _LITERALS:
            return ConstantVariable.create(value)
        known = self._known(tx, value)
        if known is not None:
            return known
        if type(value) in (list, tuple) and any(
            isinstance(item, torch.Tensor | list | tuple) for item in value
        ):
            return self.sequence(tx, value, ListVariable if type(value) is list else TupleVariable)
        source = GlobalSource(self._install(value))
        if isinstance(value, torch.Tensor) and is_functorch_wrapped_tensor(value):
            return self._transformed(tx, value, source)
        try:
            return VariableTracker.build(tx, value, source, realize=True)
        # Dynamo refuses the object itself, say a lock, or asks a method of it: the use of the
        # object will be the break
        except Exception as error:
            if is_control(error):
                raise
            vt = UserDefinedObjectVariable(value, source=source)
            return self._output.side_effects.track_object_existing(value, vt)

    def sequence(self, tx: Any, values: Iterable[Any], cls: Any = ListVariable) -> Any:
        """Give a new list or tuple tracker of wrapped items."""
        return cls([self.wrap(tx, value) for value in values], mutation_type=ValueMutationNew())

    def close(self) -> None:
        """Take the inputs out of the frame's globals again."""
        for name in self._names:
            self._output.global_scope.pop(name, None)
        self._names.clear()

    def _transformed(self, tx: Any, value: torch.Tensor, source: GlobalSource) -> Any:
        """Give the tracker of a tensor inside of a function transform.

        Dynamo makes no fake one of it if it is a view or has a history: an empty one stands for it.
        """
        interpreter = self._values.interpreter
        with interpreter.transforms.entered(), outside(), torch.no_grad():
            alike = torch.empty_like(value)
        proxy = VariableTracker.build(tx, alike, source, realize=True).as_proxy()
        interpreter.values[proxy.node] = value
        fake = proxy.node.meta["example_value"]
        if fake.is_floating_point():
            with tx.fake_mode, enable_python_dispatcher():
                for operand in self._differentiable():
                    fake = fake + operand.sum() * 0  # its derivatives go through the step
        return wrap_fx_proxy(tx, proxy, example_value=fake)

    def _differentiable(self) -> list[torch.Tensor]:
        """Give the fake ones of the tensors inside of transforms that a step has taken."""
        taken = [
            vt.as_proxy().node.meta["example_value"]
            for value, vt in self._values.memo.values()
            if isinstance(value, torch.Tensor) and is_functorch_wrapped_tensor(value)
        ]
        return [fake for fake in taken if fake.is_floating_point()]

    def _known(self, tx: Any, value: Any) -> Any | None:
        for made, vt in self._values.memo.values():  # the step gave back one of its arguments
            if made is value and not isinstance(value, type):
                return vt
        if not isinstance(value, torch.Tensor):
            return None
        node = self._values.interpreter.node_of(value)
        if node is None or not isinstance(fake := node.meta.get("example_value"), torch.Tensor):
            return None
        proxy = torch.fx.Proxy(node, self._output.root_tracer)
        return wrap_fx_proxy(tx, proxy, example_value=fake)

    def _install(self, value: Any) -> str:
        scope = self._output.global_scope
        number = len(self._names)
        while (name := f"{_PREFIX}{number}") in scope:
            number += 1
        self._names.append(name)
        scope[name] = value
        return name


def is_made(vt: Any) -> bool:
    """Tell whether a tracker stands for what a real step made."""
    return _PREFIX in str(getattr(vt, "source", None) or "")
