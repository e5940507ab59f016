"""Recognised by the text of the error, or the effect of a frame that was silently not compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA088"


def nothing_compiled(found: Break) -> bool:
    """Nothing was compiled.

    Why: Every frame of the call was skipped: a mode was active, the function belongs to a library
        that Dynamo leaves alone, or it is not Python.

    Fix: Look at the reason beside the frame. Compile the function that does the tensor work, and
        take modes and `torch.compiler.disable` off around it.

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
    return found.effect == "not_compiled" or says(found, "found no compiled frames")
