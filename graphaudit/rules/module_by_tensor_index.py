"""Recognised by Dynamo's types, or the container file of torch.nn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_library, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA029"


def module_by_tensor_index(found: Break) -> bool:
    """A module is picked out of a list by a value that is not constant.

    Why: Which module runs decides what the graph contains, so the index must be a Python constant.

    Fix: Loop over the modules and mask, stack the weights and index the stack, or choose the
        module outside.

    Bad:
        import torch

        experts = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)])
        inputs = [(torch.ones(3), torch.tensor(1))]

        def f(x, index):
            return experts[index](x)

    Good:
        import torch

        experts = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)])
        inputs = [(torch.ones(3), torch.tensor(1))]

        def f(x, index):
            return torch.stack([expert(x) for expert in experts])[index]

    Dynamo:
        GB0153 Unsupported key type for nn.Module.__getitem__
        GB0281 Invalid or non-const argument in nn.Module __getitem__
        GB0202 non-const argument in nn.Module method
        GB0059 Failed to trace builtin operator
    """
    return is_type(
        found,
        "Unsupported key type for nn.Module.__getitem__",
        "Invalid or non-const argument in nn.Module __getitem__",
        "non-const argument in nn.Module method",
    ) or in_library(found, "torch/nn/modules/container.py")
