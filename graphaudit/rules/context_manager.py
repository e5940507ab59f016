"""Recognised by Dynamo's types, or a context manager that an operator returned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, is_type, skipped_name

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA902"


def context_manager(found: Break) -> bool:
    """A `with` on an object that Dynamo cannot enter.

    Why: Dynamo knows torch's own context managers, plain Python classes and `@contextmanager`
        generators; this one is made in C, or by code that it skips.

    Fix: Put the `with` around the compiled call, or replace it by what it sets.

    Bad:
        import torch

        def f(x):
            with torch.backends.cudnn.flags(enabled=False):
                return x + 1

    Good:
        import torch

        def f(x):
            with torch.no_grad():
                return x + 1

    Dynamo:
        GB0142 Unsupported context manager
        GB0262 unsupported contextlib.* API
        GB0263 attempted to trace contextlib.contextmanager
        GB0221 non-generator contextlib.contextmanager
        GB0274 Attempted to reconstruct context manager's __enter__ method
        GB0208 torch.* op returned non-Tensor

    Notes: `ExitStack.enter_context(torch.no_grad())` breaks, `with torch.no_grad():` does not.
    """
    return (
        is_type(
            found,
            "Unsupported context manager",
            "unsupported contextlib.* API",
            "attempted to trace contextlib.contextmanager",
            "non-generator contextlib.contextmanager",
            "Attempted to reconstruct context manager's __enter__ method",
        )
        or in_context(found, "example_value type: _GeneratorContextManager")
        or skipped_name(found).endswith((".__enter__", ".__exit__"))
    )
