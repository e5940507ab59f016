"""Recognised by the module of the skipped function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA014"


def thread_query(found: Break) -> bool:
    """Threads or the event loop are asked inside compiled code.

    Why: `{callee}` depends on the thread or the loop that happens to run; Dynamo does not trace
        it.

    Fix: Keep threads and asyncio outside the compiled function: compute there, and compile only
        the function that works on tensors.

    Bad:
        import threading

        def f(x):
            if threading.current_thread().name == "MainThread":
                return x + 1
            return x

    Good:
        def f(x, main=True):
            return x + 1 if main else x

    Dynamo:
        GB0007 Attempted to call function marked as skipped

    Notes: `threading.local` attributes and `Event.is_set` are traced.
    """
    return skips_from(found, "_thread", "threading", "_asyncio", "asyncio", "concurrent")
