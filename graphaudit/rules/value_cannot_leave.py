"""Recognised by the words in Dynamo's types about values that leave the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA917"


def value_cannot_leave(found: Break) -> bool:
    """A value cannot be handed out of the graph.

    Why: Where a graph ends (at a return or another break) Dynamo has to build the objects that are
        used behind it; for this object it does not know how.

    Fix: Return tensors and plain containers and make the object in the caller. If it is not
        returned, mend the other break on its way, or make the object behind that.

    Bad:
        from contextlib import contextmanager

        @contextmanager
        def scope():
            yield

        def f(x):
            return x + 1, scope()

    Good:
        def f(x):
            return x + 1

    Dynamo:
        GB0092 Reconstruction failure
        GB0093 Reconstruction failure: source.reconstruct not implemented
        GB1297 Reconstruction failure (self-referential)
        GB1319 Reconstruct user defined class without a source
        GB2533 reconstructing @contextmanager object
        GB8335 Generator reconstruction with mutations
        GB9528 Attempted to reconstruct a nested function with closure which is not supported
        GB4778 nested function with closure in output
        GB0368 Frozen dataclass with __post_init__
        GB0369 Frozen dataclass with missing field
        GB0370 record_function escaped from compiled region
        GB0212 torch.profiler object escaped from compiled region
    """
    return any(
        word in root(found).gb_type
        for word in ("econstruct", "escaped from compiled region", "in output", "Frozen dataclass")
    )
