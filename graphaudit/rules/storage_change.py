"""Recognised by Dynamo's types: one for each method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA033"

_METHODS: Final = (
    "Tensor.resize_",
    "Tensor.set_",
    "Tensor.sparse_resize",
    "Tensor.share_memory_",
    "tensor data attribute",
)


def storage_change(found: Break) -> bool:
    """The storage of a tensor is changed.

    Why: `resize_`, `set_` with a storage, `share_memory_` and a change of `.data` swap the memory
        under a tensor, which a graph of operators cannot express.

    Fix: Allocate the buffer at its full size before and copy into it (`buffer.copy_(x)`), or
        return a new tensor.

    Bad:
        def f(x):
            y = x + 1
            y.resize_(2)
            return y

    Good:
        def f(x):
            y = x + 1
            return y[:2]

    Dynamo:
        GB0126 Unsupported Tensor.resize_() call
        GB0127 Unsupported Tensor.resize_as_() call
        GB0128 Unsupported Tensor.set_() call
        GB0129 Unsupported Tensor.sparse_resize_() call
        GB0130 Unsupported Tensor.sparse_resize_and_clear_() call
        GB4197 Unsupported Tensor.share_memory_() call
        GB0056 Failed to mutate tensor data attribute
        GB0220 Failed to mutate tensor data attribute to different dtype
    """
    return any(method in root(found).gb_type for method in _METHODS)
