"""Recognised by Dynamo's own type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA042"


def sort_by_tensor(found: Break) -> bool:
    """Python's `sorted` on tensors.

    Why: Sorting needs to compare values, which do not exist while tracing.

    Fix: Use `torch.sort` or `torch.argsort` on a tensor, or sort Python numbers before the call.

    Bad:
        def f(x):
            return sorted([x[0], x[1]])[0]

    Good:
        import torch

        def f(x):
            return torch.sort(x).values[0]

    Dynamo:
        GB0207 sort with non-constant keys
    """
    return is_type(found, "sort with non-constant keys")
