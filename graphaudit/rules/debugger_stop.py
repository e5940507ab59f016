"""Recognised by the builtin's name or the debugger's module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import builtin, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA010"


def debugger_stop(found: Break) -> bool:
    """A stop for the user inside compiled code.

    Why: `{callee}` waits for somebody at the terminal; it cannot be part of a graph.

    Fix: Delete it before the code is compiled. To debug, run the model in eager:
        `torch.compiler.set_stance("force_eager")`.

    Bad:
        def f(x):
            y = x + 1
            breakpoint()
            return y

    Good:
        def f(x):
            y = x + 1
            return y

    Dynamo:
        GB0059 Failed to trace builtin operator
    """
    return builtin(found) in {"breakpoint", "input"} or skips_from(found, "pdb", "bdb")
