"""Recognised by Dynamo's types for breaks that cannot be resumed, if no other cause is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA903"


def break_in_block(found: Break) -> bool:
    """A break in a loop or a `with` that cannot be resumed.

    Why: Dynamo cannot leave a loop, or a context manager of your own, in the middle and come back,
        so the whole frame runs eager.

    Fix: Mend the break inside. If it must stay, put the `with` around the compiled call, or move
        the body of the loop into a function of its own: then only that function is split.

    Bad (not run):
        def f(x):
            for number in range(2):
                print(number)
                x = x + number
            return x

    Good:
        def f(x):
            for number in range(2):
                x = x + number
            return x

    Dynamo:
        GB7000 graph break in loop
        GB0066 Graph break under GenericContextWrappingVariable
        GB0065 Graph break in inlined function

    Notes: A site normally carries the cause inside, and is named after that; this rule is for
        sites whose cause is not known.
    """
    return is_type(
        found,
        "graph break in loop",
        "Graph break under GenericContextWrappingVariable",
        "Graph break in inlined function",
    )
