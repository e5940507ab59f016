"""Recognised by the module of the skipped function and Dynamo's types about autograd.grad."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type, root, skipped_name, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA039"


def backward_in_body(found: Break) -> bool:
    """Gradients are computed inside compiled code.

    Why: Dynamo captures the forward pass; `backward()`, `torch.autograd.grad` and `grad_fn` work
        on the autograd graph that only exists when the code really runs.

    Fix: Compile the forward function and call `backward()` outside. Inside, use `torch.func.grad`.
        For inference, delete it.

    Bad:
        import torch

        inputs = [(torch.ones(3, requires_grad=True),)]

        def f(x):
            (x * 2).sum().backward()
            return x

    Good:
        import torch

        def f(x):
            return torch.func.grad(lambda y: (y * 2).sum())(x)

    Dynamo:
        GB0123 Unsupported Tensor.backward() call
        GB9186 using `torch.autograd.grad` with `torch._dynamo.config.trace_autograd_ops=False`
        GB0104 Tensor with grad_fn()
        GB0108 Tensor.retain_grad() with AOTDispatcher
        GB0371 autograd.grad with output that requires grad
        GB0372 autograd.grad with external grad_fn
        GB7054 backward() with non-leaf tensor

    Notes: With `torch._dynamo.config.trace_autograd_ops = True` torch 2.13 traces `backward()` and
        `torch.autograd.grad`.
    """
    return (
        (skips_from(found, "torch.autograd") and skipped_name(found) in {"backward", "grad"})
        or any(
            word in root(found).gb_type for word in ("autograd.grad", "autograd_grad", "backward()")
        )
        or is_type(found, "Tensor with grad_fn()", "Tensor.retain_grad() with AOTDispatcher")
    )
