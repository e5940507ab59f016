"""Recognised by Dynamo's types for copy.deepcopy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA031"


def deepcopy_of_tensor(found: Break) -> bool:
    """`copy.deepcopy` of a tensor.

    Why: A deep copy of a tensor goes through its storage, which does not exist while tracing.

    Fix: Write `x.clone()` (or `x.detach().clone()`); copy modules and states outside the compiled
        function.

    Bad:
        import copy

        def f(x):
            return copy.deepcopy(x) + 1

    Good:
        def f(x):
            return x.clone() + 1

    Dynamo:
        GB4198 Attempted to copy.deepcopy a tensor
        GB0179 copy.deepcopy()

    Notes: Lists and plain objects without tensors are copied while tracing, without a break.
    """
    return is_type(found, "copy.deepcopy()", "Attempted to copy.deepcopy a tensor")
