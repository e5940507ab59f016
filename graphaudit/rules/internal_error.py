"""Recognised by the exception's name, or by whose code raised it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import exception, in_context, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA930"

_OWN: Final = "raised by Dynamo's own code"
_GENERATOR: Final = "a generator became a plain iterator at a graph break"


def internal_error(found: Break) -> bool:
    """Dynamo itself failed.

    Why: `{exception}` came out of Dynamo's own code while it traced this line; that is a bug or a
        limit of torch, not of the program.

    Fix: Write the line in a plainer way or move it out of the compiled function, try a newer
        torch, and report it with the smallest function that shows it.

    Bad:
        from decimal import Decimal

        number = Decimal(2)

        def f(x):
            return x * int(number)

    Good:
        from decimal import Decimal

        NUMBER = int(Decimal(2))

        def f(x):
            return x * NUMBER

    Dynamo:
        InternalTorchDynamoError
        AssertionError
        AttributeError

    Notes: With `torch._dynamo.config.suppress_errors` such errors are swallowed and the frame runs
        eager.
    """
    return is_type(
        found, "InternalTorchDynamoError", "TorchDynamoException", "InternalError"
    ) or in_context(found, _OWN, _GENERATOR)


def why_of(found: Break) -> str:
    """Say what Dynamo did to a generator; else ""."""
    if not in_context(found, _GENERATOR):
        return ""
    return (
        "A generator that is alive at a graph break comes out of it as a plain iterator over the "
        f"rest of its items: `{exception(found)}`. That is a bug or a limit of torch."
    )


def fix_of(found: Break) -> str:
    """Say how a generator stays one; else ""."""
    if not in_context(found, _GENERATOR):
        return ""
    return (
        "Mend the graph breaks of this entry, or use the generator up before they come: in one "
        "graph it stays a generator."
    )
