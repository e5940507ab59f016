"""Recognised by Dynamo's types for methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA911"


def unsupported_method(found: Break) -> bool:
    """A method that Dynamo cannot trace.

    Why: `{callee}` is implemented in C, or belongs to a class for which Dynamo has no rule.

    Fix: Use a plain list, dict or function in its place, or call it outside and pass the result
        in. If it works on tensors, wrap it in a custom operator (`torch.library.custom_op`).

    Bad:
        import queue

        jobs = queue.SimpleQueue()

        def f(x):
            jobs.put(1)
            return x + 1

    Good:
        jobs = []

        def f(x):
            jobs.append(1)
            return x + 1

    Dynamo:
        GB0156 Unsupported method call
        GB6270 Unhandled tensor method
        GB0117 Unhandled args for method
        GB0121 UnspecializedNNModuleVariable missing method
        GB0299 constant-like method call with non-constant args
        GB0292 constant-like method call with unsupported return type
        GB0255 attempted to call sourceless user-defined object as a method
        GB4841 Unsupported python_type() call
    """
    return is_type(
        found,
        "Unsupported method call",
        "Unhandled tensor method",
        "Unhandled args for method",
        "UnspecializedNNModuleVariable missing method",
        "constant-like method call with non-constant args",
        "constant-like method call with unsupported return type",
        "attempted to call sourceless user-defined object as a method",
        "Unsupported python_type() call",
        "vectorcall_maybe on C method descriptor",
    )
