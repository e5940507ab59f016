"""Recognised by Dynamo's types for builtins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA910"


def builtin_call(found: Break) -> bool:
    """A builtin that Dynamo does not know for these arguments.

    Why: Dynamo has a rule for most builtins with most types; not for `{callee}` with what it gets
        here.

    Fix: Use the torch operator (`torch.pow(x, 2)` or `x ** 2` instead of `pow(x, 2)`), or compute
        the value outside.

    Bad:
        def f(x):
            return x * len(bytearray(b"ab"))

    Good:
        def f(x):
            return x * len(b"ab")

    Dynamo:
        GB0059 Failed to trace builtin operator
        GB0213 unimplemented builtin op on tensor arguments
        GB0270 unimplemented builtin op vars() with no arguments
        GB0174 bad args to builtin cast()
        GB0175 builtin isinstance() cannot determine type of argument
        GB0194 isinstance() called on user defined object with C extensions
    """
    return is_type(
        found,
        "Failed to trace builtin operator",
        "unimplemented builtin op on tensor arguments",
        "unimplemented builtin op vars() with no arguments",
        "bad args to builtin cast()",
        "builtin isinstance() cannot determine type of argument",
        "isinstance() called on user defined object with C extensions",
    )
