"""Recognised by the word in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA034"


def requires_grad_change(found: Break) -> bool:
    """`requires_grad` is set inside compiled code.

    Why: It would make a new leaf in the middle of the graph; Dynamo does not trace that.

    Fix: Set it before the compiled call. For inference, run under `torch.no_grad()` or
        `torch.inference_mode()` and delete the line.

    Bad:
        def f(x):
            y = x + 1
            y.requires_grad = True
            return y

    Good:
        def f(x):
            return x + 1

    Dynamo:
        GB0206 setattr() on Tensor.requires_grad
        GB0125 Unsupported Tensor.requires_grad_() call
        GB0225 Attempted to use tensor creation function with requires_grad=True
        GB8985 requires_grad_() intermediate leaked as output
        GB7324 returning intermediate with requires_grad_()
    """
    return "requires_grad" in root(found).gb_type and "nn.Parameter" not in root(found).gb_type
