"""Recognised by Dynamo's types, or the operator that makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA038"


def nested_tensor(found: Break) -> bool:
    """A nested tensor of the strided layout.

    Why: Only the jagged layout of nested tensors can be compiled.

    Fix: Make it with `layout=torch.jagged`, outside the compiled function, or use padding with a
        mask or packed sequences with offsets.

    Bad:
        import torch

        inputs = [(torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),)]

        def f(x):
            return x * 2

    Good:
        import torch

        pieces = [torch.ones(2), torch.ones(3)]
        inputs = [(torch.nested.nested_tensor(pieces, layout=torch.jagged),)]

        def f(x):
            return x * 2

    Dynamo:
        GB0016 Attempted to wrap strided NestedTensor
        GB0044 Encountered strided NestedTensor in automatic dynamic dim determination
        GB0233 Attempted to use strided NestedTensor
        GB0245 Attempted to use `nested_tensor` with non-list input
        GB0090 Operator does not support running with fake tensors
    """
    return (
        "NestedTensor" in root(found).gb_type
        or "nested_tensor" in root(found).gb_type
        or in_context(found, "_nested_tensor")
    )
