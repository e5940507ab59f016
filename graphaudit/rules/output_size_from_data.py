"""Recognised by Dynamo's types for operators whose result size is data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA022"


def output_size_from_data(found: Break) -> bool:
    """The size of a result depends on the data.

    Why: `nonzero`, boolean masks, `unique`, `masked_select`, `bincount` and `repeat_interleave`
        give as many elements as the values ask for; a graph needs sizes that it can reason about.

    Fix: Use a form of fixed size: `torch.where(mask, a, b)`, `masked_fill`,
        `repeat_interleave(..., output_size=n)`, `one_hot(..., num_classes=n)`. If the size must
        vary, set `torch._dynamo.config.capture_dynamic_output_shape_ops = True`, as fullgraph does
        by itself.

    Bad (without fullgraph):
        def f(x):
            return x[x > 0].sum()

    Good:
        import torch

        def f(x):
            return torch.where(x > 0, x, 0).sum()

    Dynamo:
        GB0036 Dynamic shape operator
        GB0037 Dynamic shape operator (no meta kernel)
        GB0246 Attempted to use `torch.nn.functional.one_hot` with data-dependent output shape

    Notes: `x[mask] = value` is traced: its size does not vary. Such operators cannot be in a CUDA
        graph either.
    """
    return is_type(
        found,
        "Dynamic shape operator",
        "Dynamic shape operator (no meta kernel)",
        "Attempted to use `torch.nn.functional.one_hot` with data-dependent output shape",
    )
