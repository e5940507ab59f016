"""Recognised by Dynamo's type; what gives numbers is taken by earlier rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA040"


def python_answer(found: Break) -> bool:
    """An operator answers with a Python value.

    Why: `torch.equal`, `torch.allclose` and `is_nonzero` return True or False, which needs the
        values while tracing.

    Fix: Keep the answer a tensor: `(a == b).all()` with `torch.where`; leave checks for tests to
        eager code.

    Bad:
        import torch

        def f(x):
            return x if torch.equal(x, x + 1) else x * 2

    Good:
        import torch

        def f(x):
            return torch.where((x == x + 1).all(), x, x * 2)

    Dynamo:
        GB0033 Data dependent operator
    """
    return is_type(found, "Data dependent operator")
