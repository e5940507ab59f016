"""Recognised by an error without an id whose type is an exception's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA931"


def user_error(found: Break) -> bool:
    """The call raised an error of its own.

    Why: The program, or torch below it, raised `{exception}` while it was traced. This is no graph
        break.

    Fix: Run the same call in eager and mend what raises: most often the inputs of the `audit_*`
        factory, or a condition that the factory does not meet.

    Bad (not run):
        def f(x):
            raise ValueError("no weights loaded")

    Good (not run):
        def f(x):
            return x + 1  # and the factory loads the weights

    Dynamo:
        RuntimeError
        ValueError
        AssertionError
    """
    return found.effect == "error" and root(found).gb is None and root(found).gb_type.isidentifier()
