"""Recognised by Dynamo's types for Python sequences indexed by tensors, or `range` of a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import builtin, in_context, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA027"


def index_from_tensor(found: Break) -> bool:
    """Python needs an index or a count, and gets a tensor.

    Why: `range(n)` and the index of a Python list need an int, so the value of the tensor would
        have to be known while tracing.

    Fix: Pass the number in as a Python int. To choose from a list by a tensor, stack the list and
        index that: `torch.stack(items)[index]`.

    Bad:
        import torch

        inputs = [(torch.ones(3), torch.tensor(2))]

        def f(x, count):
            for _ in range(count):
                x = x + 1
            return x

    Good:
        import torch

        inputs = [(torch.ones(3), 2)]

        def f(x, count):
            for _ in range(count):
                x = x + 1
            return x

    Dynamo:
        GB0059 Failed to trace builtin operator
        GB0038 Dynamic slicing with Tensor arguments
        GB0070 Indexing list with non-scalar tensor
        GB7596 Indexing torch.Size with non-scalar tensor
        GB0218 unsupported index(Tensor)

    Notes: `items[index]` with a 0-d tensor is found as GA026 under fullgraph, as GA021 otherwise.
    """
    return is_type(
        found,
        "Dynamic slicing with Tensor arguments",
        "Indexing list with non-scalar tensor",
        "Indexing torch.Size with non-scalar tensor",
        "unsupported index(Tensor)",
    ) or (builtin(found) == "range" and in_context(found, "TensorVariable"))
