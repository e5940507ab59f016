"""Recognised by Dynamo's two types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA079"


def inference_mode_query(found: Break) -> bool:
    """Code asks whether inference mode is on.

    Why: Dynamo traces without inference mode, so the answer would be wrong; it breaks instead.

    Fix: Ask `torch.is_grad_enabled()`, which is traced, or decide outside and pass a flag.

    Bad:
        import torch

        def f(x):
            return x if torch.is_inference_mode_enabled() else x + 1

    Good:
        import torch

        def f(x):
            return x + 1 if torch.is_grad_enabled() else x

    Dynamo:
        GB0045 Encountered tensor.is_inference() during tracing
        GB0046 Encountered torch.is_inference_mode_enabled during tracing
    """
    return is_type(
        found,
        "Encountered tensor.is_inference() during tracing",
        "Encountered torch.is_inference_mode_enabled during tracing",
    )
