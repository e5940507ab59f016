"""Recognised by Dynamo's types for breaks that the program asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA052"


def explicit_graph_break(found: Break) -> bool:
    """The program asks for a graph break.

    Why: `torch._dynamo.graph_break()` or one of its kind stands on this line.

    Fix: Find out why it was put there (its `msg`, the blame) and delete it once the reason is
        gone; else accept the site with that reason.

    Bad:
        import torch

        def f(x):
            y = x + 1
            torch._dynamo.graph_break()
            return y * 2

    Good:
        def f(x):
            y = x + 1
            return y * 2

    Dynamo:
        GB0025 Call to `torch._dynamo.graph_break()`
        GB4297 Call to `torch._dynamo.skip_frame()`
        GB4636 Call to `torch._dynamo.step_unsupported()`
        GB0030 ComptimeContext graph break
        GB0269 Forced graph break on leaf function
    """
    return is_type(
        found,
        "Call to `torch._dynamo.graph_break()`",
        "Call to `torch._dynamo.skip_frame()`",
        "Call to `torch._dynamo.step_unsupported()`",
        "ComptimeContext graph break",
        "Forced graph break on leaf function",
    )
