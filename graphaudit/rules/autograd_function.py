"""Recognised by the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA073"

_WORDS: Final = (
    "autograd.Function",
    "autograd_function",
    "AutogradFunction",
    "custom jvp",
    "custom vjp",
    "proxy not set",
)


def autograd_function(found: Break) -> bool:
    """A `torch.autograd.Function` in a form that is not captured.

    Why: Dynamo captures static `forward` and `backward` with `save_for_backward`; a custom `jvp`,
        some methods of `ctx`, keyword-only arguments and one tensor passed twice are not
        supported.

    Fix: Reduce it to plain forward and backward, or turn it into a custom operator with
        `register_autograd`. For inference, call the forward arithmetic directly.

    Bad:
        import torch

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

            @staticmethod
            def jvp(ctx, grad):
                return grad * 2

        inputs = [(torch.ones(3, requires_grad=True),)]

        def f(x):
            return Double.apply(x)

    Good:
        import torch

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        inputs = [(torch.ones(3, requires_grad=True),)]

        def f(x):
            return Double.apply(x)

    Dynamo:
        GB0144 Unsupported custom jvp
        GB0145 Unsupported custom vjp
        GB0139 Unsupported autograd.Function context method
        GB0138 Unsupported autograd.Function context `save_for_backward`
        GB0140 Unsupported autograd.Function method
        GB0085 Non-function or method in subclass of torch.autograd.Function
        GB2019 Unsupported autograd.Function context `mark_dirty`
        GB2464 autograd.Function.apply: mark_dirty input not returned
        GB6297 autograd.Function.apply: duplicate tensor input
        GB4372 autograd_function_kwonly_args
        GB0346 autograd.Function.apply: non-function or method forward
        GB0348 autograd.Function.apply: non-function or method backward
        GB0347 autograd.Function.apply: _materialize_non_diff_grads mutation
        GB0019 AutogradFunctionContextVariable escaped Dynamo-traced region
        GB0205 proxy not set
    """
    return any(word in root(found).gb_type for word in _WORDS)
