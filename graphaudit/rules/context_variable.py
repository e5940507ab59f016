"""Recognised by the class whose method is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import class_called

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA017"


def context_variable(found: Break) -> bool:
    """A context variable is read inside compiled code.

    Why: `ContextVar.get` is C code, and what it gives depends on the running task. Dynamo traces it
        from torch 2.14 on.

    Fix: Read the variable in the caller and pass its value as an argument.

    Bad:
        from contextvars import ContextVar

        scale = ContextVar("scale", default=2.0)

        def f(x):
            return x * scale.get()

    Good:
        def f(x, scale=2.0):
            return x * scale

    Dynamo:
        GB0156 Unsupported method call
    """
    return class_called(found) in {"ContextVar", "_contextvars.ContextVar"}
