"""Recognised by Dynamo's types for the protocol methods of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA083"

_WORDS: Final = (
    "mp_subscript",
    "mp_ass_subscript",
    "sq_contains",
    "sq_item",
    "sq_ass_item",
    "sq_concat",
    "sq_repeat",
    "sq_inplace",
    "len_impl",
    "__len__",
    "unsupported __getitem__",
    "Failed to trace list()",
)


def container_in_c(found: Break) -> bool:
    """A container that Dynamo cannot look into.

    Why: `array.array`, `bytes` buffers, `memoryview` and containers of C extensions (protobuf, and
        the like) have no rule for indexing, `len()` or `in`.

    Fix: Turn it into a list, a tuple or a dict before the compiled call, or into a tensor.

    Bad:
        import array

        sizes = array.array("i", [1, 2])

        def f(x):
            return x * sizes[1]

    Good:
        import array

        sizes = list(array.array("i", [1, 2]))

        def f(x):
            return x * sizes[1]

    Dynamo:
        GB4880 missing_mp_subscript
        GB8435 missing_mp_subscript_impl
        GB7786 missing_mp_ass_subscript
        GB4411 missing sq_contains
        GB6012 Cannot trace user-defined __len__
        GB7906 Missing len_impl
        GB4240 unsupported __getitem__
        GB5904 unsupported __getitem__ (sq_item)
        GB0781 unsupported __setitem__ (sq_ass_item)
        GB6025 Failed to trace list()
        GB9458 sq_repeat_impl not implemented
    """
    return any(word in root(found).gb_type for word in _WORDS)
