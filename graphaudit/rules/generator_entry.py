"""Recognised by Dynamo's own type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA069"


def generator_entry(found: Break) -> bool:
    """The compiled function is itself a generator.

    Why: Dynamo does not compile generator functions. Outside fullgraph it says nothing and runs
        them eager.

    Fix: Compile the function that does one step and call it from the generator; or return a list.

    Bad:
        def f(x):
            yield x + 1
            yield x + 2

    Good:
        def f(x):
            return [x + 1, x + 2]

    Dynamo:
        GB0003 Attempt to trace generator
        GB2549 infinite generator detected

    Notes: A generator that is made and used up inside the compiled function is traced.
    """
    return is_type(found, "Attempt to trace generator", "infinite generator detected")
