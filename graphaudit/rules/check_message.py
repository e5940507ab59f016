"""Recognised by Dynamo's types about torch._check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA082"


def check_message(found: Break) -> bool:
    """The message of a `torch._check` uses tensors or sizes.

    Why: The message must be a function whose outer variables are constants, since it may be needed
        without the tensors.

    Fix: Leave the values out of the message, or drop the message.

    Bad:
        import torch

        def f(x):
            torch._check(x.shape[0] > 1, lambda: f"got {x.shape}")
            return x + 1

    Good:
        import torch

        def f(x):
            torch._check(x.shape[0] > 1, lambda: "too small")
            return x + 1

    Dynamo:
        GB9158 Can't convert torch._check*() message closure
        GB9840 Can't extract message from torch._check*()
        GB0288 Can't extract message from torch._check()
    """
    return "torch._check" in root(found).gb_type
