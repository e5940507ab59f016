"""Recognised by Dynamo's type, or the operator behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA021"


def scalar_from_tensor(found: Break) -> bool:
    """A tensor becomes a Python number.

    Why: `item()`, `int()`, `float()`, `bool()` and slicing by a tensor need the value, which does
        not exist while tracing. On a GPU it also waits for the device.

    Fix: Keep it a tensor (`torch.where`, `index_select`, a 0-d tensor in arithmetic), or pass the
        number in. If it must stay, set `torch._dynamo.config.capture_scalar_outputs = True`, as
        fullgraph does by itself.

    Bad (without fullgraph):
        def f(x):
            scale = x.max().item()
            return x / scale

    Good:
        def f(x):
            scale = x.max()
            return x / scale

    Dynamo:
        GB0124 Unsupported Tensor.item() call with capture_scalar_outputs=False
        GB0033 Data dependent operator

    Notes: Under fullgraph this passes, until the number decides a branch or a size (GA026).
    """
    return is_type(found, "Unsupported Tensor.item() call with capture_scalar_outputs=False") or (
        in_context(found, "_local_scalar_dense")
    )
