"""Recognised by the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA063"


def parameter_constructor(found: Break) -> bool:
    """A parameter or a module is made inside compiled code.

    Why: Dynamo does not trace the constructor of `torch.nn.Parameter`; making a layer or moving
        one with `.to(...)` calls it.

    Fix: Make and move modules in `__init__`, before the compiled call. For a plain buffer use a
        tensor.

    Bad:
        import torch

        def f(x):
            layer = torch.nn.Linear(3, 3)
            return layer(x)

    Good:
        import torch

        layer = torch.nn.Linear(3, 3)

        def f(x):
            return layer(x)

    Dynamo:
        GB0264 Attempted to use `torch.nn.Parameter()` constructor with Dynamo
        GB0226 `torch.nn.Parameter()` with unsupported data type
        GB0227 Attempted to use torch.nn.Parameter constructor with tensor subclass
        GB0228 `torch.nn.Parameter`: cannot convert to traceable tracable
        GB0235 `torch.nn.Parameter` with non-constant Tensor attributes
        GB0237 non-constant `requires_grad` argument to `torch.nn.Parameter`
        GB0244 Attempted to use `torch.nn.Parameter()` with export
    """
    return "Parameter" in root(found).gb_type and "torch.nn" in root(found).gb_type
