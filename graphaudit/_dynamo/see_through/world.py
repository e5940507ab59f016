"""The real world beside one output graph: its values, and the way back into the trace."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from graphaudit._dynamo.see_through.interpreter import Interpreter
from graphaudit._dynamo.see_through.real_values import RealValues
from graphaudit._dynamo.see_through.wrapping import Wrapper

if TYPE_CHECKING:
    from graphaudit._dynamo.see_through.originals import Originals
    from graphaudit._dynamo.see_through.record import Draft


class World:
    """Real counterparts of one output graph's trackers."""

    def __init__(self, output: Any, originals: Originals) -> None:
        self.output = output
        self._interpreter = Interpreter(output)
        self.values = RealValues(output, self._interpreter, originals)
        self._wrapper = Wrapper(self.values)
        self.real = self.values.real
        self.wrap = self._wrapper.wrap
        self.sequence = self._wrapper.sequence
        # id of the tracker of an `__exit__` -> the tracker, the site of its `with`
        self.exits: dict[int, tuple[Any, Draft]] = {}

    def begin_step(self, tx: Any) -> None:
        """Forget which object stands for which tracker: both may have changed since."""
        self.values.memo = {}
        self.values.tx = tx

    def close(self) -> None:
        """Give back what the trace wrote into the user's objects, globals and tensors."""
        self._wrapper.close()
        for undo in reversed(self.values.undo):
            with suppress(Exception):  # the target may have deleted what we would give back
                undo()
        self.values.undo.clear()
        self._interpreter.put_back()
