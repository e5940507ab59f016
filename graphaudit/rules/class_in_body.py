"""Recognised by Dynamo's types for class statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA064"


def class_in_body(found: Break) -> bool:
    """A class is defined inside compiled code.

    Why: Dynamo does not run class statements (nor a decorator such as `@dataclass` on one).

    Fix: Move the class to module level. `collections.namedtuple(...)` in the body is traced.

    Bad:
        def f(x):
            class Options:
                scale = 2

            return x * Options.scale

    Good:
        class Options:
            scale = 2

        def f(x):
            return x * Options.scale

    Dynamo:
        GB8977 Invalid call to __build_class__
        GB0075 LOAD_BUILD_CLASS bytecode not supported
    """
    return is_type(
        found, "Invalid call to __build_class__", "LOAD_BUILD_CLASS bytecode not supported"
    )
