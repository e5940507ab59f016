"""Recognised by Dynamo's types about super()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA047"


def super_call(found: Break) -> bool:
    """`super()` leads to a method that is not Python.

    Why: A class calls `super().__init__` (or another method) of a base class in C; most often an
        exception class with an `__init__` of its own that is raised and caught in compiled code.

    Fix: Give exceptions that are raised in compiled code no `__init__` of their own, or make the
        object outside.

    Bad:
        class OutOfBlocks(Exception):
            def __init__(self, wanted):
                super().__init__(f"wanted {wanted}")

        def f(x):
            try:
                raise OutOfBlocks(3)
            except OutOfBlocks:
                return x + 1

    Good:
        class OutOfBlocks(Exception):
            pass

        def f(x):
            try:
                raise OutOfBlocks("wanted 3")
            except OutOfBlocks:
                return x + 1

    Dynamo:
        GB0006 Attempted to call a super() attribute that is not a function or method
        GB0113 Unable to resolve super getattr
        GB0280 1-arg super not implemented
        GB0162 Unsupported super().__init__() call
        GB0004 Attempted super().__delattr__() on an object without mutation tracking
        GB0084 Non-constant attribute given to `super().__delattr__()`
    """
    return (
        "super()" in root(found).gb_type
        or "super getattr" in root(found).gb_type
        or ("super not implemented" in root(found).gb_type)
    )
