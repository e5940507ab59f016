"""Recognised by the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA915"

# By a word of the type or of the context; the first that fits counts.
_FIXES: Final = {
    "EG_MATCH": "Write `except` instead of `except*`.",
    "unpack": "Write an explicit loop or an index instead of the unpacking.",
    "UNPACK": "Write an explicit loop or an index instead of the unpacking.",
    "undefined local": "Give the name a value on every way to this line.",
    "deleted variable": "Do not read the name after `del`, or give it a value again.",
    "uninitialized cell": "Give the name its value before the inner function reads it.",
}
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
        instead of an unpacking; give a name its value on every way to the line.

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


def fix_of(found: Break) -> str:
    """Say what to write instead, where the instruction tells; else ""."""
    cause = root(found)
    # behind the instruction's name stand the values that it was given
    text = f"{cause.gb_type} {cause.context.partition(' with ')[0]}"
    return next((fix for word, fix in _FIXES.items() if word in text), "")
