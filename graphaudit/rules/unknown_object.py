"""Recognised by Dynamo's types for objects without a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA919"


def unknown_object(found: Break) -> bool:
    """An object of a class that Dynamo does not know.

    Why: Dynamo keeps a rule for each kind of object; one of this class that comes up, or is made,
        while tracing has none.

    Fix: Make the object outside the compiled function and pass it in, or pass the plain values
        that you need of it.

    Bad:
        def f(x):
            return x * len(x.__class__.__dict__)

    Good:
        import torch

        NAMES = len(torch.Tensor.__dict__)

        def f(x):
            return x * NAMES

    Dynamo:
        GB0116 Unexpected type in sourceless builder
        GB0086 Not a Python constant
        GB0122 Unsupported SourceType
        GB7502 Unsupported user-defined object construction during side-effect tracking
        GB2404 Unsupported object.__new__ user-defined class construction
        GB6999 unsupported variable type for __dict__ access
        GB0119 Uninitialized nn.Module
        GB2520 assume_constant_result argument conversion failed
    """
    return is_type(
        found,
        "Unexpected type in sourceless builder",
        "Not a Python constant",
        "Unsupported SourceType",
        "Unsupported user-defined object construction during side-effect tracking",
        "Unsupported object.__new__ user-defined class construction",
        "unsupported variable type for __dict__ access",
        "Uninitialized nn.Module",
        "assume_constant_result argument conversion failed",
    )
