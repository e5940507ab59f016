"""Recognised by the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA081"

_WORDS: Final = (
    "hash",
    "id() with",
    "call_id()",
    "object identity",
    "identity fallback",
    "FakeIdVariable",
    "tp_richcompare",
    "Error getting associated real value",
    "equality comparison of an object",
)


def identity_or_hash(found: Break) -> bool:
    """The identity or the hash of an object is needed.

    Why: While tracing, an object made in the function has no final `id()`, and a `__hash__` or
        `__eq__` in C cannot be traced.

    Fix: Use a key that is a plain value (a string, a number, a tuple of them), or an attribute
        that you set yourself.

    Bad:
        def f(x):
            y = x + 1
            return x if id(y) == 3 else y

    Good:
        def f(x):
            y = x + 1
            return x if y is x else y

    Dynamo:
        GB9316 Comparison on compile-time-only id or hash value
        GB2861 Untraceable C tp_hash
        GB0364 User-defined object with overridden __hash__
        GB0365 Dynamo cannot determine whether the underlying object is hashable
        GB0366 Dynamo cannot determine the hash of an object
        GB0367 Dynamo cannot determine the equality comparison of an object
        GB0871 Non-constant __hash__ return
        GB0191 id() with unsupported args
        GB0176 call_id() without associated real value
        GB4501 Reconstruction of FakeIdVariable
        GB1220 Untraceable C tp_richcompare
    """
    return any(word in root(found).gb_type for word in _WORDS)
