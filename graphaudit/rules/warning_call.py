"""Recognised by the module that owns the skipped function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA004"


def warning_call(found: Break) -> bool:
    """A warning raised inside compiled code.

    Why: `warnings.warn` is C code with global state (the filters and the list of what was shown),
        so Dynamo cannot put it in a graph.

    Fix: Warn once in `__init__` or where the arguments are checked, outside the compiled call; or
        guard it with `if not torch.compiler.is_compiling():`.

    Bad:
        import warnings

        def f(x):
            if x.shape[-1] % 8:
                warnings.warn("size is not a multiple of 8")
            return x + 1

    Good:
        import warnings

        import torch

        def f(x):
            if x.shape[-1] % 8 and not torch.compiler.is_compiling():
                warnings.warn("size is not a multiple of 8")
            return x + 1

    Dynamo:
        GB0007 Attempted to call function marked as skipped
    """
    return skips_from(found, "warnings", "_warnings")
