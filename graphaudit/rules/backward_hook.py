"""Recognised by the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA068"


def backward_hook(found: Break) -> bool:
    """A module with a backward hook is called.

    Why: Backward hooks run in the autograd engine; Dynamo can only capture them together with the
        backward pass (compiled autograd).

    Fix: For inference, remove the hooks; `torch.no_grad()` alone does not help. For training, run
        with `torch._dynamo.config.compiled_autograd = True`, or put the hook on a tensor
        (`y.register_hook`).

    Bad:
        import torch

        layer = torch.nn.Linear(3, 3)
        layer.register_full_backward_hook(lambda module, grad_in, grad_out: None)
        inputs = [(torch.ones(3, requires_grad=True),)]

        def f(x):
            return layer(x)

    Good:
        import torch

        layer = torch.nn.Linear(3, 3)
        inputs = [(torch.ones(3, requires_grad=True),)]

        def f(x):
            y = layer(x)
            y.register_hook(lambda grad: grad)
            return y

    Dynamo:
        GB0083 Module-level backwards hooks require compiled autograd.
        GB0029 Compilation of intermediate hooks requires compiled autograd
    """
    return "hooks require" in root(found).gb_type or "intermediate hooks" in root(found).gb_type
