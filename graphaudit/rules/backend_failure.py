"""Recognised by the type or the exception's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA086"


def backend_failure(found: Break) -> bool:
    """The graph was captured, but its compiler failed.

    Why: Dynamo did its part; the backend (Inductor, or your own) raised on the graph.

    Fix: Try `backend="eager"` and `backend="aot_eager"` to see which stage fails, run with
        TORCH_LOGS="+inductor", and report it to torch with the graph if it is Inductor.

    Bad:
        def broken_backend(graph, example_inputs):
            raise RuntimeError("no code for this graph")

        backend = broken_backend

        def f(x):
            return x + 1

    Good:
        def f(x):
            return x + 1

    Dynamo:
        GB0219 Backend compiler exception
        BackendCompilerFailed

    Notes: A scan brings a backend of its own, which does not fail: it shows this only where the
        audited code compiles a part of itself.
    """
    return is_type(
        found,
        "Backend compiler exception",
        "BackendCompilerFailed",
        "LoweringException",
        "InductorError",
    )
