"""Recognised by the modules that keep torch's global generators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA054"


def global_seed(found: Break) -> bool:
    """The global random state of torch is set or read.

    Why: `{callee}` changes a generator outside the graph.

    Fix: Seed before the compiled call. Random operators inside the graph follow the global state
        by themselves.

    Bad:
        import torch

        def f(x):
            torch.manual_seed(0)
            return x + torch.rand(3)

    Good:
        import torch

        torch.manual_seed(0)

        def f(x):
            return x + torch.rand(3)

    Dynamo:
        GB0007 Attempted to call function marked as skipped
        GB0208 torch.* op returned non-Tensor
    """
    return skips_from(found, "torch.random", "torch.cuda.random") or in_context(
        found, "<function fork_rng", "<function get_rng_state", "<function manual_seed"
    )
