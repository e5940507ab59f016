"""The one site that a trace leaves to Dynamo, so that stock code shows it, or does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphaudit._dynamo.see_through.record import preferred
from graphaudit._dynamo.see_through.sight import SeenSite

if TYPE_CHECKING:
    from graphaudit._dynamo import stacks
    from graphaudit.model import Cause


@dataclass(slots=True)
class Target:
    """A site of an earlier see-through trace, and whether this trace has come to it."""

    site: SeenSite
    is_reached: bool = False

    def reach(self, causes: tuple[Cause, ...], stack: stacks.Stack) -> bool:
        """Tell whether a failure is at the site; from then on Dynamo is left alone."""
        self.is_reached = _same_place(stack, self.site.stack) and _same_cause(
            causes[0], self.site.causes[0]
        )
        return self.is_reached


def _same_place(one: stacks.Stack, other: stacks.Stack) -> bool:
    ends = ((preferred(stack), stack[-1]) for stack in (one, other))
    first, second = ([(place.path, place.line) for place in both] for both in ends)
    return first == second


def _same_cause(one: Cause, other: Cause) -> bool:
    """Tell whether causes are one, as far as both have an id: fullgraph words some without."""
    return one.gb_type == other.gb_type or one.gb is None or other.gb is None
