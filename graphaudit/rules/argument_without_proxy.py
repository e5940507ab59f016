"""Recognised by Dynamo's types for arguments that cannot be put into a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA901"


def argument_without_proxy(found: Break) -> bool:
    """An operator gets an argument that a graph cannot hold.

    Why: A graph node takes tensors, numbers, strings, dtypes, devices and lists of them; here it
        gets an object of another class.

    Fix: Pass the plain value inside the object (`options.scale` instead of `options`).

    Bad:
        import torch

        class Scale:
            value = 2.0

            def __float__(self):
                return self.value

        scale = Scale()

        def f(x):
            return torch.mul(x, scale)

    Good:
        import torch

        class Scale:
            value = 2.0

        scale = Scale()

        def f(x):
            return torch.mul(x, scale.value)

    Dynamo:
        GB0055 Failed to convert args/kwargs to proxy
        GB7489 Unsupported argument type in tensor method call
        GB0047 Encountered unconverted argument when attempting to inline
        GB0224 Attempted to call torch in-graph function on only torch.SymInt arguments
    """
    return is_type(
        found,
        "Failed to convert args/kwargs to proxy",
        "Unsupported argument type in tensor method call",
        "Encountered unconverted argument when attempting to inline",
        "Attempted to call torch in-graph function on only torch.SymInt arguments",
    )
