"""Recognised by the text of the assertion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA053"


def forbidden_callable(found: Break) -> bool:
    """A call that must stand outside compiled code.

    Why: `mark_dynamic`, `mark_static` and the like tell the compiler about an input before it
        traces; inside traced code Dynamo refuses them.

    Fix: Mark the tensor in the caller, before it goes into the compiled function.

    Bad:
        import torch

        def f(x):
            torch._dynamo.mark_dynamic(x, 0)
            return x + 1

    Good:
        import torch

        example = torch.ones(3)
        torch._dynamo.mark_dynamic(example, 0)
        inputs = [(example,)]

        def f(x):
            return x + 1

    Dynamo:
        AssertionError
    """
    return says(found, "Attempt to trace forbidden callable")
