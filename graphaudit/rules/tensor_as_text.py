"""Recognised by repr's own type, or a text builtin on a tensor, or a length that has no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import builtin, in_context, is_type, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA028"


def tensor_as_text(found: Break) -> bool:
    """A tensor is turned into text.

    Why: `str(x)`, `repr(x)` and `"%s" % x` print values, which do not exist while tracing.

    Fix: Make the text outside the compiled function, or make it of shape and dtype only.

    Bad:
        def f(x):
            name = str(x)
            return x + len(name)

    Good:
        def f(x):
            name = str(x.dtype)
            return x + len(name)

    Dynamo:
        GB0569 repr() on tensor
        GB0059 Failed to trace builtin operator
        GB0208 torch.* op returned non-Tensor

    Notes: A tensor in an f-string is traced as long as nothing reads the text.
    """
    return (
        is_type(found, "repr() on tensor")
        or (
            builtin(found) in {"str", "repr", "format", "ascii"}
            and in_context(found, "TensorVariable")
        )
        or says(found, "example_value type: str")
    )
