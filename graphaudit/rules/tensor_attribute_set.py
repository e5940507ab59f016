"""Recognised by Dynamo's own type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA044"


def tensor_attribute_set(found: Break) -> bool:
    """Code sets an attribute of a tensor that Dynamo cannot set again.

    Why: Dynamo repeats what the code did to a tensor's plain Python attributes and to the `.data`
        of an input; it cannot for attributes with C code behind them (`real`, `imag`, `names`).

    Fix: Use the operator or the in-place method: `x.real.copy_(y)`; or return the new value.

    Bad:
        def f(x):
            y = x + 1
            y.real = x
            return y

    Good:
        def f(x):
            y = x + 1
            y.real.copy_(x)
            return y

    Dynamo:
        GB0058 Failed to set tensor attribute
    """
    return is_type(found, "Failed to set tensor attribute")
