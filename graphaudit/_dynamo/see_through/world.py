"""The real world beside one output graph: its values, and the way back into the trace."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from graphaudit._dynamo.see_through import transforms
from graphaudit._dynamo.see_through.interpreter import Interpreter
from graphaudit._dynamo.see_through.real_values import RealValues
from graphaudit._dynamo.see_through.signals import CannotGoOn, translators
from graphaudit._dynamo.see_through.wrapping import Wrapper

if TYPE_CHECKING:
    from graphaudit._dynamo.see_through.originals import Originals
    from graphaudit._dynamo.see_through.record import Draft


class World:
    """Real counterparts of one output graph's trackers."""

    def __init__(self, output: Any, originals: Originals) -> None:
        self.output = output
        self._interpreter = Interpreter(output, originals)
        self.transforms = self._interpreter.transforms
        self.values = RealValues(output, self._interpreter, originals)
        self._wrapper = Wrapper(self.values)
        self.real = self.values.real
        self.wrap = self._wrapper.wrap
        self.sequence = self._wrapper.sequence
        # id of the tracker of an `__exit__` or of an iterator -> the tracker, the site of its
        # `with` or of its loop: what fails there later is the same site
        self.continued: dict[int, tuple[Any, Draft]] = {}

    def begin_step(self, tx: Any) -> None:
        """Forget which object stands for which tracker: both may have changed since."""
        self.values.memo = {}
        self.values.tx = tx

    def catch_up(self) -> None:
        """Bring the transforms that the graph has entered to where the trace is.

        Raises:
            CannotGoOn: The graph cannot be run as far.
        """
        if self.transforms.depth or transforms.depth():
            self._interpreter.catch_up()
        if self.transforms.depth != transforms.depth():
            raise CannotGoOn("a function transform could not be entered for real")

    def before_leaving(self, function: Any) -> None:
        """Run what needs Dynamo's level of forward differentiation, which a call may end."""
        if self.transforms.shares_dual and type(function).__name__ == "WithExitFunctionVariable":
            self._interpreter.catch_up()

    def take_over(self, tx: Any, vt: Any, iterator: Any, draft: Draft) -> None:
        """Put a real iterator in the place of one in the trace: only one of them may advance."""
        self.values.memo.pop(id(vt))
        made = self.wrap(tx, iterator)
        self.continued[id(made)] = made, draft
        for one in translators(tx):
            one.stack[:] = [made if item is vt else item for item in one.stack]
            for name, value in one.symbolic_locals.items():
                if value is vt:
                    one.symbolic_locals[name] = made

    def close(self) -> None:
        """Give back what the trace wrote into the user's objects, globals and tensors."""
        self._wrapper.close()
        for undo in reversed(self.values.undo):
            with suppress(Exception):  # the target may have deleted what we would give back
                undo()
        self.values.undo.clear()
        self._interpreter.put_back()
