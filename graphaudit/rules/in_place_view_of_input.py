"""Recognised by Dynamo's type, or a delayed break at a method of an input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import in_context, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA043"

_METHODS: Final = (
    "unsqueeze_",
    "squeeze_",
    "t_",
    "transpose_",
    "as_strided_",
    "swapaxes_",
    "swapdims_",
)


def in_place_view_of_input(found: Break) -> bool:
    """An in-place view method on an input.

    Why: `unsqueeze_`, `t_` and their kind change the shape of the caller's tensor, which a graph
        cannot do to its input.

    Fix: Use the form without the underscore and go on with its result: `x = x.unsqueeze(0)`.

    Bad:
        def f(x):
            x.unsqueeze_(0)
            return x

    Good:
        def f(x):
            return x.unsqueeze(0)

    Dynamo:
        GB0072 Inplace op on input tensor
        GB0148 Unsupported function call (delayed)
    """
    return is_type(found, "Inplace op on input tensor") or (
        is_type(found, "Unsupported function call (delayed)")
        and in_context(found, *(f"member='{method}'" for method in _METHODS))
    )
