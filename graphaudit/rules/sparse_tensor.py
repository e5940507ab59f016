"""Recognised by the word in Dynamo's types or the skipped function's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root, skipped_name

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA037"


def sparse_tensor(found: Break) -> bool:
    """A sparse tensor in compiled code.

    Why: torch.compile supports sparse layouts neither as inputs nor made inside.

    Fix: Compute with dense tensors and a mask, or put the sparse product into a custom operator
        (`torch.library.custom_op`) that takes the dense pieces (indices, values) and returns a
        dense tensor.

    Bad:
        def f(x):
            return x.to_sparse()

    Good:
        def f(x):
            return x * (x != 0)

    Dynamo:
        GB0015 Attempted to wrap sparse Tensor
        GB0277 Attempted to wrap sparse Tensor with VariableTracker
        GB0374 Sparse tensor creation not supported
        GB1501 sparse_grad_accumulate_grad

    Notes: A function under `torch.compiler.disable` may use sparse tensors, but breaks the graph
        itself (GA050).
    """
    return "sparse" in root(found).gb_type.lower() or "sparse" in skipped_name(found)
