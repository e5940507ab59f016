"""Recognised by the words in Dynamo's types about setting attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA084"

_WORDS: Final = (
    "setattr",
    "__class__ assignment",
    "attribute mutation",
    "STORE_ATTR",
    "attribute assignment",
    "pending mutation",
    "descriptor delete",
    "Write to immutable cell",
    "limited maxlen",
    "object __dict__",
)


def attribute_mutation(found: Break) -> bool:
    """State is changed in a way that cannot be replayed.

    Why: Dynamo notes changes of objects and repeats them after the graph. It cannot do so here: a
        class or `__class__` is changed, the attribute has C code behind it, or its name is not
        constant.

    Fix: Do the change before or after the compiled call; inside, keep state in plain instance
        attributes or return the new value.

    Bad:
        class Slow:
            scale = 1

        class Fast:
            scale = 2

        mode = Slow()

        def f(x):
            mode.__class__ = Fast
            return x * mode.scale

    Good:
        class Mode:
            scale = 1

        mode = Mode()

        def f(x):
            mode.scale = 2
            return x * mode.scale

    Dynamo:
        GB0467 setattr() on unsupported type
        GB4271 __class__ assignment on user-defined object
        GB3697 C-level descriptor setattr on user-defined object
        GB3241 C-level descriptor delete on user-defined object
        GB0271 Class attribute mutation when the __dict__ was already materialized
        GB0254 non-const setattr name on user-defined object
        GB0096 Should not compile partial graph (STORE_ATTR)
        GB0189 getattr() on nn.Module with pending mutation
        GB0169 Write to immutable cell
        GB0097 Side effect on existing deque with limited maxlen
    """
    return any(word in root(found).gb_type for word in _WORDS)
