"""Recognised by the words in Dynamo's types about reading attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA085"

_WORDS: Final = (
    "getattr",
    "__getattribute__",
    "object's mro",
    "hasattr",
    "nn.Module attribute type",
    "__func__",
    "__get__ call",
)


def attribute_lookup(found: Break) -> bool:
    """An attribute is looked up in a way that is not traced.

    Why: The class answers attributes through C code, a metaclass or a `__getattr__` that is no
        plain function, so Dynamo cannot tell what it would give.

    Fix: Read the attribute outside and pass the value, or store it as a plain attribute; write
        `__getattr__` as a `def` in the class.

    Bad:
        class Options:
            __getattr__ = len

        options = Options()

        def f(x):
            return x * options.ab

    Good:
        class Options:
            def __getattr__(self, name):
                return len(name)

        options = Options()

        def f(x):
            return x * options.ab

    Dynamo:
        GB0256 User-defined object with non-function __getattr__
        GB0211 torch.nn.Module with a non-function custom __getattr__
        GB0252 could not find name in object's mro
        GB0190 getattr() with non-constant name argument
        GB0188 getattr with no source
        GB0031 Custom __getattribute__ in nn.Module attribute access
        GB0032 Custom __getattribute__ in nn.Module dict key check
        GB5458 Custom metaclass with __getattribute__
        GB0150 Unsupported hasattr call
        GB0217 unsupported hasattr operation
        GB9522 hasattr() on unsupported type
        GB0161 Unsupported nn.Module attribute type
        GB0261 User-defined object method with non-function __func__
    """
    return any(word in root(found).gb_type for word in _WORDS)
