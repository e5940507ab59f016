"""Recognised by the handle's class, or Dynamo's types about handles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA067"


def hook_registration(found: Break) -> bool:
    """A hook is registered inside compiled code.

    Why: Registering a module hook counts up a class attribute and makes a handle that lives on
        after the graph.

    Fix: Register hooks before the compiled call; remove them after it.

    Bad:
        import torch

        layer = torch.nn.Linear(3, 3)

        def f(x):
            handle = layer.register_forward_hook(lambda module, args, result: None)
            y = layer(x)
            handle.remove()
            return y

    Good:
        import torch

        layer = torch.nn.Linear(3, 3)
        handle = layer.register_forward_hook(lambda module, args, result: None)

        def f(x):
            return layer(x)

    Dynamo:
        GB0467 setattr() on unsupported type
        GB0013 Attempted to represent unregistered RemovableHandle
        GB0100 Storing Tensor hook handle in globals
        GB0101 Storing Tensor hook handle in globals (inline call)
    """
    return in_context(found, "RemovableHandle") or any(
        word in root(found).gb_type for word in ("RemovableHandle", "hook handle")
    )
