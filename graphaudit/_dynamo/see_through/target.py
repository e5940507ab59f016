"""The one site that a trace leaves to Dynamo, so that stock code shows it, or does not.

Where the site is in an inlined function, Dynamo ends the graph in front of the call in the root
frame. When that call is made, it takes the function up as a frame of its own, and comes to the site
once more. So the calls are noted: each function is then traced alone, as Dynamo would.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

from graphaudit._dynamo.see_through import raising
from graphaudit._dynamo.see_through.below import Below
from graphaudit._dynamo.see_through.record import preferred
from graphaudit._dynamo.see_through.sight import SeenSite
from graphaudit._dynamo.see_through.signals import translators

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo import stacks
    from graphaudit._dynamo.see_through.below import Watcher
    from graphaudit._dynamo.see_through.record import Record
    from graphaudit.model import Cause


@dataclass(slots=True)
class Target:
    """A site of an earlier see-through trace, and whether this trace has come to it."""

    site: SeenSite
    is_reached: bool = False
    calls: tuple[Below, ...] = ()  # of the functions that the site is inlined in, outermost first
    depth: int = 0  # how many these are
    _inlined: tuple[CodeType, ...] = ()  # those whose calls are still to be noted

    def reach(self, tx: Any, error: Exception, record: Record) -> bool:
        """Tell whether a failure is at the site; from then on Dynamo is left alone."""
        causes, stack = record.described(tx, error)
        here, there = (*record.above, *stack), (*self.site.above, *self.site.stack)
        self.is_reached = _same_place(here, there) and _same_cause(causes[0], self.site.causes[0])
        if self.is_reached:
            inner = [one.f_code for one in translators(tx)][:-1]
            self._inlined, self.depth = tuple(reversed(inner)), len(inner)
        return self.is_reached

    def watch(self, tx: Any, watcher: Watcher, go_on: Callable[[], object]) -> None:
        """Do the step for real that calls the functions which the site is inlined in.

        Args:
            tx: The translator that the failure has come to; it is done in the root frame alone.
            watcher: Notes the calls.
            go_on: Does the step.
        """
        inlined = self._inlined
        if not inlined or tx.parent is not None:
            return
        self._inlined = ()
        watcher.forget(inlined)
        # the step is for the calls alone; what it gives, or raises, is left to Dynamo
        with raising.kept(tx), suppress(Exception):
            go_on()
        self.calls = watcher.calls_of(inlined)

    def renew(self) -> None:
        """Begin a trace that is to come to the site once more."""
        self.is_reached, self.calls, self._inlined = False, (), ()


def _same_place(one: stacks.Stack, other: stacks.Stack) -> bool:
    ends = ((preferred(stack), stack[-1]) for stack in (one, other))
    first, second = ([(place.path, place.line) for place in both] for both in ends)
    return first == second


def _same_cause(one: Cause, other: Cause) -> bool:
    """Tell whether causes are one, as far as both have an id: fullgraph words some without."""
    return one.gb_type == other.gb_type or one.gb is None or other.gb is None
