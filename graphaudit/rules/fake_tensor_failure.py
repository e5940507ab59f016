"""Recognised by Dynamo's types for operators that raise on fake tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA078"


def fake_tensor_failure(found: Break) -> bool:
    """An operator raises while it is traced.

    Why: Dynamo runs each operator on tensors without data. This one raised `{exception}`: a wrong
        shape, dtype or argument, or a fake implementation that fails.

    Fix: Run the same line in eager. If it raises there, mend the shapes; if not, mend the fake
        implementation of the operator, which must not read data.

    Bad:
        import torch

        def f(x):
            return x @ torch.ones(4, 4)

    Good:
        import torch

        def f(x):
            return x @ torch.ones(3, 4)

    Dynamo:
        GB4315 RuntimeError when making fake tensor call
        GB0112 TypeError when making fake tensor call
        GB0064 Fake tensor propagation exception
        GB2922 RuntimeError when trying to get real value from fx.Node
        TorchRuntimeError
    """
    return is_type(
        found,
        "TorchRuntimeError",
        "RuntimeError when making fake tensor call",
        "TypeError when making fake tensor call",
        "Fake tensor propagation exception",
        "RuntimeError when trying to get real value from fx.Node",
    )
