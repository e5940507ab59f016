"""Recognised by the words in Dynamo's types, the constructor, or methods in C of a subclass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, is_type, root, skipped_name

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA075"


def tensor_subclass(found: Break) -> bool:
    """A tensor subclass does something that is not captured.

    Why: Dynamo captures wrapper subclasses that follow the protocol (`__tensor_flatten__`,
        `__tensor_unflatten__`, `__torch_dispatch__`) and come in from outside; making one in the
        graph, or overriding attributes and methods, is not supported.

    Fix: Make the subclass before the compiled call and give it the two flatten methods; inside,
        work on its plain tensors.

    Bad:
        import torch

        class Wrapped(torch.Tensor):
            @staticmethod
            def __new__(cls, data):
                return torch.Tensor._make_wrapper_subclass(cls, data.shape)

            def __init__(self, data):
                self.data_tensor = data

            @classmethod
            def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
                raise NotImplementedError

        def f(x):
            return Wrapped(x).data_tensor + 1

    Good:
        def f(x):
            return x + 1

    Dynamo:
        GB0103 Tensor subclass overridden method call
        GB0163 Unsupported tensor subclass attribute access
        GB0164 Unsupported tensor subclass overridden attribute access
        GB0001 Argument of `as_subclass` must be a non-dispatcher-style tensor subclass
        GB0026 Calling subclass default constructor with more than tensor argument
        GB0000
        GB0007 Attempted to call function marked as skipped
        GB0808 vectorcall_maybe on C method descriptor
    """
    return (
        any(word in root(found).gb_type for word in ("subclass", "__torch_function__"))
        and "autograd" not in root(found).gb_type
    ) or (
        skipped_name(found).endswith("_make_wrapper_subclass")
        or (
            is_type(found, "vectorcall_maybe on C method descriptor")
            and in_context(found, "torch._C")
        )
    )
