"""Recognised by the effect; what was baked in stands in the type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root, told

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA090"
EFFECT = "stale"

_FIXES: Final = {
    "Random generator drawn from": "Draw outside of the compiled function and pass the number in, "
    "or draw with torch (`torch.rand`): that is in the graph.",
    "Cached function traced anew": "Call the cached function outside of the compiled one, and "
    "pass its answer in.",
    "Skipped while compiling": "Let both ways give the same, or decide outside of the compiled "
    "function.",
    "Function called once, in the trace": "Take `assume_constant_result` away, or pass in what "
    "the function gives.",
    "Result differs from eager": "Make the change before the first call, or call "
    "`torch.compiler.reset()` after it.",
}


def stale_value(found: Break) -> bool:
    """A value is baked into the graph without a guard.

    Why: Dynamo read it while tracing and does not look again: after a change the compiled code
        goes on with the old one, where eager sees the new one.

    Fix: Read it once at import on purpose, or pass it in as an argument, so that a change is seen.

    Bad (silent):
        import os

        def f(x):
            return x * int(os.getenv("MANUAL_SCALE", "2"))

    Good:
        import os

        SCALE = int(os.getenv("MANUAL_SCALE", "2"))

        def f(x):
            return x * SCALE

    Dynamo:
        Environment variable read
        Random generator drawn from
        Cached function traced anew
        Skipped while compiling
        Function called once, in the trace
        Function called in the graph
        Result differs from eager

    Notes: It is no graph break and does not gate. Dynamo drops the guards of what the standard
        library reads from its own globals: `os.getenv` is frozen, while `os.environ["NAME"]` is
        guarded as long as the variable is set. A `random.Random` of one's own draws the same
        numbers at each call. Where Dynamo gives no hint (a hook that is registered after the
        first call, a method that is replaced, guards that are filtered out), the scan compares
        with eager: it needs the entry to give a second input, after the change.
    """
    return found.effect == EFFECT


def why_of(found: Break) -> str:
    """Name what was baked in."""
    return told(found)


def fix_of(found: Break) -> str:
    """Say what to do about this kind of value."""
    return _FIXES.get(root(found).gb_type, "")
