"""Recognised by the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA089"


def recompile(found: Break) -> bool:
    """A call makes another graph.

    Why: A guard failed: something that the first graph took as constant (a size, a number, a flag,
        an attribute) has another value now.

    Fix: If it varies in production, mark it dynamic (`dynamic=True`, `torch._dynamo.mark_dynamic`)
        or pass it as a tensor; if it does not, warm up with the values that occur.

    Bad (silent):
        import torch

        inputs = [(torch.ones(3), "a"), (torch.ones(3), "b")]

        def f(x, name):
            return x + 1 if name == "a" else x

    Good:
        import torch

        inputs = [(torch.ones(3),), (torch.ones(4),), (torch.ones(5),)]

        def f(x):
            return x + 1

    Dynamo:
        recompile

    Notes: It costs a compilation, at the first request that brings the value. It is no graph
        break.
    """
    return found.effect == "recompile"
