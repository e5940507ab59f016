"""Recognised by the exception's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA930"


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

    Notes: With `torch._dynamo.config.suppress_errors` such errors are swallowed and the frame runs
        eager.
    """
    return is_type(found, "InternalTorchDynamoError", "TorchDynamoException", "InternalError")
