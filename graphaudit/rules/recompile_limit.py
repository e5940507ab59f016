"""Recognised by the effect, the exception or Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA087"
EFFECT = "recompile_limit"


def recompile_limit(found: Break) -> bool:
    """The function was compiled too many times.

    Why: Each new value that the graph depends on (a string, a flag, a counter on `self`, a set of
        keys) makes a new graph; at the limit (8) Dynamo gives up and runs the function eager, or
        raises under fullgraph.

    Fix: Look at what changes: TORCH_LOGS="recompiles". Make sizes dynamic (`dynamic=True`,
        `mark_dynamic`), pass changing numbers as tensors, and take strings and counters out of the
        compiled function.

    Bad:
        import torch

        inputs = [(torch.ones(3), f"layer{number}") for number in range(10)]

        def f(x, name):
            return x + 1 if name == "layer0" else x

    Good:
        import torch

        inputs = [(torch.ones(3), number == 0) for number in range(10)]

        def f(x, is_first):
            return x + 1 if is_first else x

    Dynamo:
        GB0039 Dynamo cache limit exceeded
        GB0052 Excessive RestartAnalysis() calls
        FailOnRecompileLimitHit

    Notes: `torch._dynamo.config.recompile_limit` raises the limit; that hides the cost and does
        not take it away. GB0039 is called "Dynamo recompile limit exceeded" in the messages of
        torch 2.13.
    """
    return found.effect == EFFECT or is_type(
        found,
        "FailOnRecompileLimitHit",
        "RecompileLimitExceeded",
        "Dynamo cache limit exceeded",
        "Dynamo recompile limit exceeded",
        "Excessive RestartAnalysis() calls",
    )
