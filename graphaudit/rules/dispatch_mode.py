"""Recognised by the reason for a skipped frame, or the C function behind entering a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA080"


def dispatch_mode(found: Break) -> bool:
    """A dispatch mode is active.

    Why: With a `TorchDispatchMode` (or a functorch transform) around it, Dynamo does not compile
        the frame at all; inside, entering the mode breaks.

    Fix: Take the mode (a FLOP counter, a profiler, a debug mode) off before compiled code runs;
        for `vmap` and `grad`, compile the outer function.

    Bad:
        import torch
        from torch.utils._python_dispatch import TorchDispatchMode

        class Counter(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **(kwargs or {}))

        def f(x):
            with Counter():
                return x + 1

    Good:
        def f(x):
            return x + 1

    Dynamo:
        GB9741 skip frame due to being in functorch mode
        GB0007 Attempted to call function marked as skipped
    """
    return (
        says(found, "torch dispatch mode", "skip frame due to being in functorch mode")
        and not says(found, "found no compiled frames")
    ) or in_context(found, "set_is_in_mode_without_ignore_compile_internals")
