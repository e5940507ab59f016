"""Recognised by the module, or by the C methods of random.Random."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root, skipped_name, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA006"


def random_module(found: Break) -> bool:
    """Python's random module inside compiled code.

    Why: `{callee}` changes hidden generator state that a graph does not hold. Dynamo traces some
        calls (`randint`, methods of your own `random.Random`) and breaks at the others.

    Fix: Draw the number outside and pass it in, or draw it as a tensor (`torch.rand`,
        `torch.randint`).

    Bad:
        import random

        def f(x):
            return x * random.random()

    Good:
        import torch

        def f(x):
            return x * torch.rand(())

    Dynamo:
        GB0007 Attempted to call function marked as skipped
        GB0297 random.Random() with improper arguments
    """
    return (
        skips_from(found, "random")
        or skipped_name(found).startswith("Random.")
        or root(found).gb_type.startswith("random.Random()")
    )
