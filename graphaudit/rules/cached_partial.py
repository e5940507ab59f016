"""Recognised by the C class of the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA018"


def cached_partial(found: Break) -> bool:
    """A cache around something that is no plain function.

    Why: Dynamo looks through `functools.lru_cache` if a `def` stands inside; around a
        `functools.partial` or a callable object it does not.

    Fix: Put the decorator on a `def` that calls the partial, or compute the value at import.

    Bad:
        from functools import lru_cache, partial

        def check(major, minor):
            return major * 10 + minor

        is_new = lru_cache(partial(check, 9))

        def f(x):
            return x * is_new(0)

    Good:
        from functools import lru_cache

        def check(major, minor):
            return major * 10 + minor

        @lru_cache
        def is_new(minor):
            return check(9, minor)

        def f(x):
            return x * is_new(0)

    Dynamo:
        GB0156 Unsupported method call

    Notes: Even where it is traced the cache is not used: the body is traced again for each graph.
    """
    return in_context(found, "_lru_cache_wrapper")
