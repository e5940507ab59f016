"""Recognised by Dynamo's type, or a data-dependent jump on a line that asserts or raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA024"


def assert_on_tensor(found: Break) -> bool:
    """An assertion about the values of a tensor.

    Why: `assert` is a branch. Dynamo turns it into a runtime check if its message is a constant
        string or absent; with an f-string it breaks.

    Fix: Write a constant message, or `torch._assert_async(condition)`, or move the check out of
        the compiled code.

    Bad:
        def f(x):
            assert x.sum() > 0, f"bad input of {x.shape}"
            return x + 1

    Good:
        def f(x):
            assert x.sum() > 0, "bad input"
            return x + 1

    Dynamo:
        GB0034 Data-dependent assertion failed (cannot compile partial graph)
        GB0171 assert with non-string message
        GB0170 Data-dependent branching
    """
    return is_type(
        found,
        "Data-dependent assertion failed (cannot compile partial graph)",
        "assert with non-string message",
    ) or (is_type(found, "Data-dependent branching") and found.site.source.startswith("assert "))
