"""Recognised by the function's name or the user's line: the break itself may only say `item`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, in_source, root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA007"


def numpy_random(found: Break) -> bool:
    """NumPy's random numbers inside compiled code.

    Why: Dynamo replaces NumPy by torch: generators (`default_rng`) have no counterpart, and a
        single number from `np.random.rand()` becomes a tensor whose value the code then needs.

    Fix: Draw with `torch.rand` or `torch.randint`, or draw outside and pass the array in.

    Bad:
        import numpy as np

        def f(x):
            return x * float(np.random.default_rng(0).random())

    Good:
        import torch

        def f(x):
            return x * torch.rand(())

    Dynamo:
        GB0294 attempted to trace numpy function unsupported by PyTorch
        GB0298
    """
    return (
        root(found).gb_type.startswith("attempted to trace torch._numpy.random function")
        or in_context(found, "default_rng", "numpy.random")
        or in_source(found, "np.random.", "numpy.random.")
    )
