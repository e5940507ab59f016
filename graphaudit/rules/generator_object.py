"""Recognised by Dynamo's type for its methods, or the class in the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA055"


def generator_object(found: Break) -> bool:
    """A `torch.Generator` in compiled code.

    Why: A generator holds state that the graph cannot carry; making one, seeding it, or passing it
        to an operator breaks.

    Fix: Draw the random tensor outside and pass it in, or use the global generator (leave out
        `generator=`).

    Bad:
        import torch

        generator = torch.Generator()

        def f(x):
            return x + torch.rand(3, generator=generator)

    Good:
        import torch

        def f(x):
            return x + torch.rand(3)

    Dynamo:
        GB7650 torch.Generator method
        GB0363 An opaque object was created in the middle of the program.
        GB0055 Failed to convert args/kwargs to proxy
    """
    return is_type(found, "torch.Generator method") or in_context(
        found, "torch._C.Generator", "UserDefinedObjectVariable(Generator)"
    )
