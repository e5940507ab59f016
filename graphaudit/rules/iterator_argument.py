"""Recognised by Dynamo's types for objects without an iteration rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA070"


def iterator_argument(found: Break) -> bool:
    """An iterator that was made outside is advanced inside.

    Why: A generator, or an iterator over a list or dict, that comes in from outside holds a
        position which Dynamo cannot read or put back.

    Fix: Pass the list or the dict itself and iterate in the compiled code; or call `next()`
        outside and pass the item.

    Bad:
        import torch

        inputs = [(torch.ones(3), (i for i in range(3)))]

        def f(x, numbers):
            for number in numbers:
                x = x + number
            return x

    Good:
        import torch

        inputs = [(torch.ones(3), [i for i in range(3)])]

        def f(x, numbers):
            for number in numbers:
                x = x + number
            return x

    Dynamo:
        GB4347 Missing tp_iternext
        GB0811 missing tp_iter
        GB1752 Missing tp_iteritem
        GB0118 Unimplemented next() call
        GB0160 Unsupported next() call
        GB0253 call_method on generator

    Notes: On Python 3.11 a comprehension is a frame of its own that gets an iterator. If the frame
        around it was given up for another break, Dynamo tries the comprehension alone and breaks
        here: mend the other break.
    """
    return is_type(
        found,
        "Missing tp_iternext",
        "Missing tp_iteritem",
        "missing tp_iter",
        "Unimplemented next() call",
        "Unsupported next() call",
        "call_method on generator",
    )
