"""Recognised by the text of the error, or by an effect for which Dynamo gives no cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA088"


def nothing_compiled(found: Break) -> bool:
    """Nothing was compiled.

    Why: Every frame of the call was skipped: a mode was active, the function belongs to a library
        that Dynamo leaves alone, or it is not Python.

    Fix: Compile the function that does the tensor work, and call it outside of any dispatch mode
        and of `torch.compiler.disable`. TORCH_LOGS="+dynamo" says why each frame was skipped.

    Bad:
        from torch.utils._python_dispatch import TorchDispatchMode

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        context = Mode

        def f(x):
            return x + 1

    Good:
        def f(x):
            return x + 1

    Dynamo:
        RuntimeError
    """
    if says(found, "found no compiled frames"):
        return True
    # with a cause it is any break at all, as fullgraph raises it
    return found.effect == "not_compiled" and not root(found).gb_type
