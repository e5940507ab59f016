"""Recognised by Dynamo's types for the two methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA035"


def random_in_place(found: Break) -> bool:
    """`Tensor.random_` or `uniform_(from=...)`.

    Why: Dynamo refuses these two in-place generators; others such as `normal_` and `uniform_(0,
        2)` are traced.

    Fix: Write `torch.randint(low, high, size)` instead of `random_`, and pass the bounds of
        `uniform_` by position.

    Bad:
        import torch

        def f(x):
            return x * torch.empty(3).random_(0, 2)

    Good:
        import torch

        def f(x):
            return x * torch.randint(0, 2, (3,))

    Dynamo:
        GB0107 Tensor.random_ op
        GB0110 Tensor.uniform_ op called with `from` keyword
    """
    return is_type(found, "Tensor.random_ op", "Tensor.uniform_ op called with `from` keyword")
