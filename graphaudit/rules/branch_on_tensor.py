"""Recognised by Dynamo's types for a jump that depends on data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA025"


def branch_on_tensor(found: Break) -> bool:
    """A branch on the values of a tensor.

    Why: `if`, `and`, `or`, `any()` and `x if c else y` need True or False, and there is none while
        tracing: a tensor has no value yet, nor has a number that `item()` gave.

    Fix: Compute both sides and choose with `torch.where`, use `torch.cond` for large ones, or
        decide from something that is known on the host (a shape, an argument). For a number from
        `item()` whose range you know, say so with `torch._check`.

    Bad:
        def f(x):
            if x.sum() > 0:
                return x + 1
            return x - 1

    Good:
        import torch

        def f(x):
            return torch.where(x.sum() > 0, x + 1, x - 1)

    Dynamo:
        GB0170 Data-dependent branching
        GB0035 Data-dependent branching with non-constant __bool__

    Notes: A check for NaN (`if x.isnan().any(): raise`) is such a branch; use
        `torch._assert_async`. Where a length is a tensor by accident (`if seq_len > cached:`), pass
        it as a Python int.
    """
    return is_type(
        found,
        "Data-dependent branching",
        "Data-dependent branching with non-constant __bool__",
    )
