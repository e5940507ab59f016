"""Recognised by Dynamo's own type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA041"


def set_of_tensors(found: Break) -> bool:
    """A set that holds tensors comes in from outside.

    Why: The order of a set of tensors can differ from run to run, so Dynamo cannot guard on its
        members.

    Fix: Hold them in a list, a tuple or a dict with string keys.

    Bad:
        import torch

        inputs = [(torch.ones(3), {torch.ones(3)})]

        def f(x, others):
            return x + len(others)

    Good:
        import torch

        inputs = [(torch.ones(3), [torch.ones(3)])]

        def f(x, others):
            return x + len(others)

    Dynamo:
        GB0222 Attempted to wrap a set with tensors
    """
    return is_type(found, "Attempted to wrap a set with tensors")
