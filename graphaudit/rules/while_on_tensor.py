"""Recognised by a data-dependent jump on a line that starts a while loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA023"


def while_on_tensor(found: Break) -> bool:
    """A `while` loop whose condition is a tensor.

    Why: How often the loop runs is known only at run time. Dynamo cannot unroll it and gives the
        rest of the frame to eager.

    Fix: Loop a fixed number of times and mask what is finished (`torch.where(done, x, new)`), or
        use `torch.while_loop`.

    Bad:
        def f(x):
            while x.sum() < 10:
                x = x * 2
            return x

    Good:
        import torch

        def f(x):
            for _ in range(4):
                x = torch.where(x.sum() < 10, x * 2, x)
            return x

    Dynamo:
        GB0170 Data-dependent branching
    """
    return is_type(found, "Data-dependent branching") and found.site.source.startswith("while ")
