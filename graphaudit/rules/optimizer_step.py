"""Recognised by torch.optim in the library frame or the name of the method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_library, root, skipped_name

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA051"


def optimizer_step(found: Break) -> bool:
    """An optimizer is called inside compiled code.

    Why: torch.optim puts a graph break in front of `step` by itself, and disables `zero_grad`.

    Fix: Compile the forward pass and the loss, and call the optimizer outside. Where
        `optimizer.step` itself is compiled, the break is there by design: accept the site.

    Bad:
        import torch

        model = torch.nn.Linear(3, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def f(x):
            loss = model(x).sum()
            optimizer.zero_grad()
            return loss

    Good:
        import torch

        model = torch.nn.Linear(3, 3)

        def f(x):
            return model(x).sum()

    Dynamo:
        GB0025 Call to `torch._dynamo.graph_break()`
        GB0008 Attempted to inline function marked as skipped
        GB0358 optimizer: pending mutation on parameter
    """
    return (
        in_library(found, "torch/optim/")
        or skipped_name(found).startswith("Optimizer.")
        or root(found).gb_type.startswith("optimizer:")
    )
