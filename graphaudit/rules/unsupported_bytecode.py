"""Recognised by the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA915"

_WORDS: Final = (
    "Missing bytecode handler",
    "handler",
    "BUILD_LIST_UNPACK",
    "UNPACK_EX",
    "UNPACK_SEQUENCE",
    "SEND with bad",
    "CLEANUP_THROW",
    "bad flags",
    "bad args/kwargs type",
    "Comprehension",
    "LOAD_FAST",
    "undefined local",
    "deleted variable",
    "uninitialized cell",
    "sub-generator",
)


def unsupported_bytecode(found: Break) -> bool:
    """A form of Python that Dynamo does not read.

    Why: The interpreter instruction behind this line has no rule in Dynamo (`except*`, some
        unpackings and comprehensions), or a name is read that has no value.

    Fix: Write the line in a plainer form: `except` instead of `except*`, an explicit loop or index
        instead of the unpacking.

    Bad:
        def f(x):
            try:
                raise ExceptionGroup("several", [ValueError("one")])
            except* ValueError:
                x = x + 1
            return x

    Good:
        def f(x):
            try:
                raise ValueError("one")
            except ValueError:
                x = x + 1
            return x

    Dynamo:
        GB0082 Missing bytecode handler
        GB0079 Missing CALL_INTRINSIC_1 handler
        GB6604 Missing CALL_INTRINSIC_2 handler
        GB0061 Failed to unpack object for BUILD_LIST_UNPACK
        GB0062 Failed to unpack object for UNPACK_EX
        GB0063 Failed to unpack object for UNPACK_SEQUENCE
        GB0077 Length mismatch when unpacking object for UNPACK_SEQUENCE
        GB0010 Attempted to read a deleted variable
        GB0011 Attempted to read undefined local variable
        GB0091 Read uninitialized cell
    """
    return any(word in root(found).gb_type for word in _WORDS)
