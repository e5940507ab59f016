"""Recognised by the instructions that only coroutines and asynchronous generators have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import is_type, root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA093"

_INSTRUCTIONS: Final = re.compile(
    r"(?:ASYNC_GEN_WRAP|GET_AWAITABLE|GET_AITER|GET_ANEXT|BEFORE_ASYNC_WITH|END_ASYNC_FOR) with "
    r"|CALL_INTRINSIC_1 operand: 4$"  # the wrapper of asynchronous generators from Python 3.12 on
)


def asynchronous_code(found: Break) -> bool:
    """Asynchronous code is compiled.

    Why: Dynamo has no rule for what only `async def` has: `await`, `async for`, `async with`, and
        the `yield` of an asynchronous generator.

    Fix: Compile the plain function that does the tensor work, and call it from the coroutine or
        the generator.

    Bad:
        async def f(x):
            yield x + 1

    Good:
        def f(x):
            return x + 1

    Dynamo:
        GB0082 Missing bytecode handler
        GB0079 Missing CALL_INTRINSIC_1 handler

    Notes: Making a coroutine is traced, running one is not, nor does Dynamo go on after a break in
        one.
    """
    return is_type(found, "Missing bytecode handler", "Missing CALL_INTRINSIC_1 handler") and bool(
        _INSTRUCTIONS.match(root(found).context)
    )
