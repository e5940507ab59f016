"""Recognised by the class of the lock in a `with` or a method call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import in_context, skipped_name, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA013"

_KINDS: Final = ("lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Barrier")


def lock_held(found: Break) -> bool:
    """A lock is taken inside compiled code.

    Why: A lock orders threads at run time; a graph has no place for it. In a `with` the whole
        frame is given up.

    Fix: Take the lock around the compiled call. If it guards a cache, fill the cache before.

    Bad:
        import threading

        lock = threading.Lock()

        def f(x):
            with lock:
                return x + 1

    Good:
        import threading

        lock = threading.Lock()

        def compute(x):
            return x + 1

        f = compute  # the caller writes: with lock: compiled(x)

    Dynamo:
        GB0142 Unsupported context manager
        GB0156 Unsupported method call

    Notes: Queues, thread pools and `tempfile` take a lock inside; the frame that breaks is then
        the library's.
    """
    return in_context(found, *(f"UserDefinedObjectVariable({kind})" for kind in _KINDS)) or (
        skips_from(found, "_thread", "threading") and "lock" in skipped_name(found).lower()
    )
