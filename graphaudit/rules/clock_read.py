"""Recognised by the module of the skipped function, or a constructor of datetime."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA005"


def clock_read(found: Break) -> bool:
    """The clock is read inside compiled code.

    Why: `{callee}` is different on every call, so it cannot become part of a graph; Dynamo ends
        the graph and calls it in between.

    Fix: Measure around the compiled call, not in it (after a device synchronize), or use
        torch.profiler. Take timing decorators off functions that are compiled.

    Bad:
        import time

        def f(x):
            start = time.perf_counter()
            y = x * 2
            return y, time.perf_counter() - start

    Good:
        def f(x):
            return x * 2

    Dynamo:
        GB0007 Attempted to call function marked as skipped
        GB0156 Unsupported method call

    Notes: `time.sleep` and `time.strftime` are of this kind. A time that is read inside a graph
        would also be useless: kernels run later than the Python code.
    """
    return skips_from(found, "time") or in_context(
        found,
        "<class 'datetime.datetime'>) now",
        "<class 'datetime.datetime'>) utcnow",
        "<class 'datetime.date'>) today",
    )
