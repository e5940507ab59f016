"""Recognised by the builtin on a symbolic int, or the text of the internal error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import builtin, in_context, is_type, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA045"


def symbolic_int_as_text(found: Break) -> bool:
    """A dynamic size is turned into text.

    Why: After the first recompile a size is symbolic. `str(n)` of it breaks, and a format code
        (`f"{n:05d}"`) ends in an internal error; a plain `f"{n}"` is traced.

    Fix: Write a plain f-string, build the text outside, or use the size itself as the key (a tuple
        instead of a string).

    Bad:
        import torch

        inputs = [(torch.ones(3),), (torch.ones(4),), (torch.ones(5),)]

        def f(x):
            return x + len(f"{x.shape[0]:05d}")

    Good:
        import torch

        inputs = [(torch.ones(3),), (torch.ones(4),), (torch.ones(5),)]

        def f(x):
            return x + len(f"{x.shape[0]}")

    Dynamo:
        GB0059 Failed to trace builtin operator
        GB0020 BUILD_STRING key conflict
        GB0021 BUILD_STRING type error
        InternalTorchDynamoError

    Notes: The first call is clean; only a call with another size shows it. `print` and logging of
        sizes are found as GA002 and GA003.
    """
    return (
        (builtin(found) in {"str", "repr", "format"} and in_context(found, "SymNodeVariable"))
        or is_type(found, "BUILD_STRING type error", "BUILD_STRING key conflict")
        or says(found, "Unknown format code", "Invalid format specifier")
    )
