"""Recognised by Dynamo's types about NumPy, and NumPy arrays in the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA030"


def numpy_call(found: Break) -> bool:
    """NumPy that torch cannot stand in for.

    Why: Dynamo replaces NumPy functions by torch ones. This one (or this dtype, attribute or
        method) has no counterpart.

    Fix: Use the torch operator on the tensor, or do the NumPy part outside the compiled function.

    Bad:
        import numpy as np
        import torch

        def f(x):
            return torch.from_numpy(np.interp(x.numpy(), [0, 1], [0, 1]))

    Good:
        def f(x):
            return x.clamp(0, 1)

    Dynamo:
        GB0294 attempted to trace numpy function unsupported by PyTorch
        GB0157 Unsupported ndarray attribute access
        GB0158 Unsupported ndarray method call
        GB0159 Unsupported ndarray.__version__ access
        GB0250 ndarray.astype(object)
        GB0185 failed to convert numpy.ndarray to Tensor
        GB0290 attempted to trace numpy.* function as a method
        GB0293 attempted to trace numpy function with config.trace_numpy=False
        GB0300 numpy function that produces a const collection type encountered non-const arguments
        GB0105 Tensor.numpy() with trace_numpy=False
        GB0106 Tensor.numpy() without NumPy installed
        GB0232 `torch.from_numpy` with NumPy unavailable
    """
    return (
        "numpy" in root(found).gb_type.lower()
        or "ndarray" in root(found).gb_type
        or in_context(found, "NumpyNdarrayVariable(), ")
    )
