"""Recognised by the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA091"


def side_effect_lost(found: Break) -> bool:
    """A side effect happens in eager and not in compiled code.

    Why: The effect went through a path that Dynamo does not replay, so it happened while tracing,
        or never.

    Fix: Do it outside the compiled function, or return the value and let the caller store it.

    Bad (silent):
        import functools

        @functools.lru_cache
        def scale():
            return 2

        def f(x):
            return x * scale()

    Good:
        SCALE = 2

        def f(x):
            return x * SCALE

    Dynamo:
        side_effect_lost

    Notes: In the example the cache stays empty: Dynamo looks through `lru_cache`.
    """
    return found.effect == "side_effect_lost"
