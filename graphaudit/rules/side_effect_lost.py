"""Recognised by the effect; how it is lost stands in the type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root, told

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA091"
EFFECT = "side_effect_lost"

_FIXES: Final = {
    "Skipped while compiling": "Return what the skipped code needs and do its work outside of the "
    "compiled function, or take the question away and let the trace do it.",
    "Cached function traced anew": "Call it once before compiling and keep its answer, or take "
    "the side effect out of it.",
    "Function called once, in the trace": "Take `assume_constant_result` away, or the side effect "
    "out of the function.",
    "Function called in the graph": "Write it as a custom operator (`torch.library.custom_op`), "
    "or take the side effect out of it.",
    "Message ignored": "Write it outside of the compiled function, or take it off the list and "
    "accept the break.",
    "Message moved": "Write a copy (`x.clone()`), or write it outside of the compiled function.",
}


def side_effect_lost(found: Break) -> bool:
    """Compiled code leaves another state than eager.

    Why: The side effect is not in the compiled code, or is there once too often: the same calls
        in eager leave something else.

    Fix: Do it outside the compiled function, or return the value and let the caller store it; call
        a cached function with side effects once, before compiling, and keep its answer.

    Bad (silent):
        import torch

        SEEN = []

        def f(x):
            if not torch.compiler.is_compiling():
                SEEN.append(tuple(x.shape))
            return x * 2

    Good:
        SEEN = []

        def f(x):
            SEEN.append(tuple(x.shape))
            return x * 2

    Dynamo:
        Skipped while compiling
        Cached function traced anew
        Function called once, in the trace
        Function called in the graph
        Message ignored
        Message moved
        State differs from eager

    Notes: It is no graph break and does not gate. A question such as `is_compiling()` is reported
        only where the answer changes what the program does. `functools.lru_cache` is another
        source: Dynamo traces the body behind it, so each compiled call does it again.
    """
    return found.effect == EFFECT


def why_of(found: Break) -> str:
    """Name what is lost."""
    return told(found)


def fix_of(found: Break) -> str:
    """Say what to do about this kind of loss."""
    return _FIXES.get(root(found).gb_type, "")
