"""Recognised by an error without an id whose type is an exception's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, root

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


def fix_of(found: Break) -> str:
    """Say where to look first if the error came after a break; else ""."""
    if not in_context(found, "raised behind a graph break"):
        return ""
    return (
        "Run the same call in eager: if it raises there too, mend the inputs of the `audit_*` "
        "factory or what raises; if it does not, mend the graph breaks of this entry first: "
        "the error came from code that goes on after one."
    )
