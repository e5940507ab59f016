"""Recognised by Dynamo's two types for torch.compiler.disable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA050"


def disabled_callee(found: Break) -> bool:
    """A function that is marked to stay eager is called.

    Why: Somebody wrapped it in `torch.compiler.disable`. Nothing below the call is compiled or
        checked: it is an opaque region.

    Fix: If it still needs to be eager, accept the site with the reason. Otherwise take the mark
        away, or turn the function into a custom operator (`torch.library.custom_op`), which stays
        in the graph as one node.

    Bad:
        import torch

        @torch.compiler.disable
        def scale(x):
            return x * 2

        def f(x):
            return scale(x) + 1

    Good:
        import torch

        @torch.library.custom_op("manual::scale", mutates_args=())
        def scale(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @scale.register_fake
        def _(x):
            return torch.empty_like(x)

        def f(x):
            return scale(x) + 1

    Dynamo:
        GB0098 Skip calling `torch.compiler.disable()`d function
        GB0099 Skip inlining `torch.compiler.disable()`d function

    Notes: If a library marked it, only the library can take the mark away; look for another entry
        point.
    """
    return is_type(
        found,
        "Skip calling `torch.compiler.disable()`d function",
        "Skip inlining `torch.compiler.disable()`d function",
    )
