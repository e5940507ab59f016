"""Recognised by Dynamo's own type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA918"


def non_tensor_result(found: Break) -> bool:
    """A torch function returns something that is no tensor.

    Why: `{callee}` was put into the graph as an operator, but gives a number, a flag or an object,
        which a graph cannot pass on.

    Fix: Call it outside (at import, in `__init__`) and use the result as a constant or an
        argument.

    Bad:
        def f(x):
            return x * x.storage_offset()

    Good:
        def f(x):
            return x * x.stride(0)

    Dynamo:
        GB0208 torch.* op returned non-Tensor
    """
    return is_type(found, "torch.* op returned non-Tensor")
