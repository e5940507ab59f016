"""Variable tracker -> Python object: the memo, and which maker knows which kind of tracker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo.variables import LazyVariableTracker
from torch._dynamo.variables.base import VariableTracker

from graphaudit._dynamo.see_through import (
    real_callables,
    real_containers,
    real_objects,
    real_scalars,
)
from graphaudit._dynamo.see_through.cells import Cells
from graphaudit._dynamo.see_through.signals import CannotGoOn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphaudit._dynamo.see_through.interpreter import Interpreter
    from graphaudit._dynamo.see_through.originals import Originals

Maker = Callable[["RealValues", Any], Any]

# by class name, as not every torch has every class; the nearest class of a tracker decides
_MAKERS: Final[dict[str, Maker]] = {
    **real_scalars.MAKERS,
    **real_containers.MAKERS,
    **real_callables.MAKERS,
    **real_objects.MAKERS,
}


class RealValues:
    """Makes the real counterparts of one output graph's trackers."""

    def __init__(self, output: Any, interpreter: Interpreter, originals: Originals) -> None:
        self.output = output
        self.originals = originals
        self.interpreter = interpreter
        self.tx: Any = None  # the translator that stands at the step
        self.undo: list[Callable[[], None]] = []
        self.written: list[real_objects.Write] = []  # attributes, since the step began
        self.cells = Cells(output, self.real)
        self.memo: dict[int, tuple[Any, Any]] = {}  # id of a tracker -> its object, itself

    def real(self, vt: Any) -> Any:
        """Give the object that a tracker stands for: within a step always the same one.

        Raises:
            CannotGoOn: There is none, or it cannot be made.
        """
        if isinstance(vt, LazyVariableTracker):
            late: Any = getattr(vt._cache, "value", None)
            if type(late).__name__ == "LazySymNodeFormatString":  # must not be realized
                return late.fmt_var.value.format(self.real(late.sym_node_var))
            vt = vt.realize()
        if id(vt) not in self.memo:
            self.memo[id(vt)] = self._made(vt), vt
        return self.memo[id(vt)][0]

    def many(self, vts: Iterable[Any]) -> list[Any]:
        """Give the objects of several trackers."""
        return [self.real(vt) for vt in vts]

    def table(self, items: dict[Any, Any]) -> dict[Any, Any]:
        """Give the real form of a dictionary tracker's items."""
        return {self.real(key.vt): self.real(value) for key, value in items.items()}

    def named(self, items: dict[str, Any]) -> dict[str, Any]:
        """Give the real form of keyword arguments."""
        return {name: self.real(value) for name, value in items.items()}

    def keep(self, vt: Any, value: Any) -> Any:
        """Make an object known before its parts are, which may refer to it."""
        self.memo[id(vt)] = value, vt
        return value

    def _made(self, vt: Any) -> Any:
        try:
            return _maker(vt)(self, vt)
        except CannotGoOn:
            raise
        # the constructors of the target's classes may raise anything
        except Exception as error:
            kind = type(vt).__name__
            raise CannotGoOn(
                f"no real object for {kind}: {type(error).__name__}: {error}"
            ) from error


def _maker(vt: Any) -> Maker:
    for cls in type(vt).__mro__:
        if cls.__name__ in _MAKERS:
            return _MAKERS[cls.__name__]
    return _by_attribute


def _by_attribute(values: RealValues, vt: Any) -> Any:
    if hasattr(vt, "descriptor"):  # methods of C types, bound or not
        bound = hasattr(vt, "obj")
        return getattr(values.real(vt.obj), vt.descriptor.__name__) if bound else vt.descriptor
    if hasattr(vt, "value"):
        return vt.value
    with suppress(Exception):
        return vt.as_python_constant()
    function = getattr(vt, "fn", None)
    if callable(function) and not isinstance(function, VariableTracker):
        return function
    if vt.source is not None:
        return values.output.resolve_source_value(vt.source)
    raise CannotGoOn(f"no real object for {type(vt).__name__}")
