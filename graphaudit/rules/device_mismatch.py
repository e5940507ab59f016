"""Recognised by Dynamo's type or its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA077"


def device_mismatch(found: Break) -> bool:
    """Tensors of two devices in one operator.

    Why: Fake tensors know their device, and the operator got two. Eager fails as well, except with
        0-d CPU tensors.

    Fix: Make the new tensor where the other one is: `torch.ones(3, device=x.device)`; register
        constants as buffers so that `.to()` moves them.

    Bad:
        import torch

        def f(x):
            return x + torch.ones(3, device="meta")

    Good:
        import torch

        def f(x):
            return x + torch.ones(3, device=x.device)

    Dynamo:
        GB5173 Tensor device mismatch
        TorchRuntimeError
    """
    return is_type(found, "Tensor device mismatch") or says(
        found, "Tensor device mismatch", "Expected all tensors to be on the same device"
    )
