"""Recognised by the builtin's name, or by what Dynamo says of reordering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import builtin, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA002"


def print_call(found: Break) -> bool:
    """Output to the terminal inside compiled code.

    Why: `print` writes to a file while the model runs; a graph can only hold tensor operators, so
        Dynamo ends the graph here.

    Fix: Delete the call, or run it only in eager: `if not torch.compiler.is_compiling():`. To keep
        it, add `print` to `torch._dynamo.config.reorderable_logging_functions`; it then runs after
        the graph.

    Bad:
        def f(x):
            print("step")
            return x + 1

    Good:
        import torch

        def f(x):
            if not torch.compiler.is_compiling():
                print("step")
            return x + 1

    Dynamo:
        GB0059 Failed to trace builtin operator
        GB0296 attempted to reorder a debugging function that can't actually be reordered

    Notes: In a loop, a `try` or a `with`, one print costs the whole frame. `sys.stdout.write` is
        GA049.
    """
    return builtin(found) == "print" or is_type(
        found, "attempted to reorder a debugging function that can't actually be reordered"
    )
