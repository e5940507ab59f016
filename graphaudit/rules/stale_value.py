"""Recognised by the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA090"


def stale_value(found: Break) -> bool:
    """A value is baked into the graph without a guard.

    Why: Dynamo read it while tracing (an environment variable, a cached function's answer, a
        random or clock value) and does not look again: the graph keeps the old one.

    Fix: Read it once at import on purpose, or pass it in as an argument, so that a change is seen.

    Bad (silent):
        import os

        def f(x):
            return x * int(os.environ.get("MANUAL_SCALE", "2"))

    Good:
        def f(x, scale=2):
            return x * scale

    Dynamo:
        stale
    """
    return found.effect == "stale"
