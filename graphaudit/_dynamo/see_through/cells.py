"""Cells that functions of the trace share: real ones beside them, alike before and after a step."""

from __future__ import annotations

from contextlib import suppress
from types import CellType
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import exc

from graphaudit._dynamo.see_through.signals import CannotGoOn

if TYPE_CHECKING:
    from collections.abc import Callable

_EMPTY: Final = object()  # the content of a cell without one


class Cells:
    """The real cells of one output graph; a tracker has the same one in every step."""

    def __init__(self, output: Any, real: Callable[[Any], Any]) -> None:
        self._output = output
        self._real = real
        self._known: dict[int, tuple[Any, CellType]] = {}  # id of a tracker -> itself, its cell
        self._contents: dict[int, Any] = {}

    def of(self, vt: Any) -> CellType:
        """Give the real cell of a tracker."""
        if isinstance(vt, CellType):
            return vt
        if id(vt) not in self._known:
            self._known[id(vt)] = vt, CellType()
            self._fill(vt)
        return self._known[id(vt)][1]

    def before_step(self) -> None:
        """Write what the trace has put into cells."""
        for vt, _ in list(self._known.values()):
            with suppress(CannotGoOn):
                self._fill(vt)

    def after_step(self, wrap: Callable[[Any], Any]) -> None:
        """Read back what a step has put into cells."""
        for vt, cell in self._known.values():
            content = _content(cell)
            if content is not self._contents.get(id(vt)) and content is not _EMPTY:
                self._output.side_effects.store_cell(vt, wrap(content))

    def _fill(self, vt: Any) -> None:
        cell, content = self._known[id(vt)][1], self._traced(vt)
        self._contents[id(vt)] = content
        if content is not _EMPTY:
            cell.cell_contents = content

    def _traced(self, vt: Any) -> Any:
        """Give the real form of what a cell holds in the trace."""
        try:
            content = self._output.side_effects.load_cell(vt)
        except exc.Unsupported:  # a variable that has no value yet
            return _EMPTY
        return self._real(content)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY
