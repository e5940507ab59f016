"""Recognised by the module of the skipped function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import skipped_name, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA011"


def stack_inspection(found: Break) -> bool:
    """The call stack is inspected inside compiled code.

    Why: `sys._getframe`, on which `inspect.stack` and `traceback.format_stack` rest, asks for
        Python frames; compiled code has none.

    Fix: Pass the name or the flag that you look for as an argument, or guard the debug code with
        `if not torch.compiler.is_compiling():`.

    Bad:
        import sys

        def f(x):
            caller = sys._getframe().f_code.co_name
            return x + len(caller)

    Good:
        CALLER = "f"

        def f(x):
            return x + len(CALLER)

    Dynamo:
        GB0007 Attempted to call function marked as skipped

    Notes: `inspect.signature` is traced.
    """
    return skips_from(found, "inspect", "traceback") or (
        skips_from(found, "sys") and skipped_name(found) == "_getframe"
    )
