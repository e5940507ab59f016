"""Recognised by Dynamo's types for calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA912"


def unsupported_function(found: Break) -> bool:
    """A call that Dynamo cannot trace.

    Why: `{callee}` is a class or a callable for which Dynamo has no rule.

    Fix: Make the object outside and pass it in, or use a plain function, a dataclass or a tuple
        instead.

    Bad:
        from decimal import Decimal

        def f(x):
            return x * int(Decimal(3))

    Good:
        from decimal import Decimal

        FACTOR = int(Decimal(3))

        def f(x):
            return x * FACTOR

    Dynamo:
        GB0147 Unsupported function call
        GB0148 Unsupported function call (delayed)
        GB0149 Unsupported functorch tracing attempt
        GB0151 Unsupported inspect call
        GB0187 functools.wraps
        GB0186 functools.partial() with non-literal keyword
        GB0178 constant fold exception
        GB0201 namedtuple construction
        GB0054 Failed to construct Enum variable
        GB0180 dataclass fields failure
    """
    return is_type(
        found,
        "Unsupported function call",
        "Unsupported function call (delayed)",
        "Unsupported functorch tracing attempt",
        "Unsupported inspect call",
        "functools.wraps",
        "functools.partial() with non-literal keyword",
        "constant fold exception",
        "namedtuple construction",
        "Failed to construct Enum variable",
        "dataclass fields failure",
    )
