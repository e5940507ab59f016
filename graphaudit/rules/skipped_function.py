"""Recognised by the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_skipped_call

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA914"


def skipped_function(found: Break) -> bool:
    """A function of a file that Dynamo leaves alone is called.

    Why: Dynamo does not trace `{callee}`: its file is on the list of what is skipped (parts of the
        standard library and of torch).

    Fix: Call it outside the compiled function and pass the result in, or use a function that is
        traced. For a function of yours, see whether it lies under a folder that is skipped.

    Bad:
        import torch

        def f(x):
            return x + len(torch.utils.collect_env.get_pretty_env_info())

    Good:
        import math

        def f(x):
            return x * math.gcd(8, 12)

    Dynamo:
        GB0007 Attempted to call function marked as skipped
        GB0008 Attempted to inline function marked as skipped
        GB0009 Attempted to inline function marked as skipped (SkipFunctionVariable)
    """
    return is_skipped_call(found)
