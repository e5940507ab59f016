"""Recognised by the word in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA036"


def out_argument(found: Break) -> bool:
    """An `out=` tensor that does not fit.

    Why: Eager resizes an `out=` tensor of a wrong shape, and writes into a strided one; Dynamo
        does neither.

    Fix: Allocate the `out=` tensor contiguous and with the exact shape of the result, or drop
        `out=` and use the result.

    Bad:
        import torch

        total = torch.empty(1)

        def f(x):
            return torch.mul(x, 2, out=total)

    Good:
        import torch

        total = torch.empty(3)

        def f(x):
            return torch.mul(x, 2, out=total)

    Dynamo:
        GB0247 Shape mismatch with out= tensor variant
        GB0242 Attempted to call op with non-contiguous `out=` tensor
        GB0240 Shape mismatch with out= list of tensor variants
        GB0241 Attempted to call op with non-contiguous `out=` list of tensors
    """
    return "out=" in root(found).gb_type
