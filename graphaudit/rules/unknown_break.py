"""Takes what no other rule knows; asked last."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA000"


def unknown_break(found: Break) -> bool:
    """A break that no rule knows.

    Why: Dynamo could not trace this line.

    Fix: Look at Dynamo's own reason with `graphaudit explain` and the GB id, and move the line out
        of the compiled function.

    Bad (not run):
        def f(x, table):
            return x * table.something_new()

    Good (not run):
        def f(x, value):
            return x * value

    Dynamo:
        every other id

    Notes: For such a site the cause and the first hint are shown in Dynamo's own words. Please
        report it, so that a rule can be written.
    """
    return found is not None
