"""Recognised by the class that is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA066"


def simple_namespace(found: Break) -> bool:
    """`types.SimpleNamespace` is made inside compiled code.

    Why: Its constructor is C code without a rule in Dynamo; an object made outside is fine.

    Fix: Make it outside, or use a small class, a dataclass or a NamedTuple.

    Bad:
        from types import SimpleNamespace

        def f(x):
            options = SimpleNamespace(scale=2)
            return x * options.scale

    Good:
        from typing import NamedTuple

        class Options(NamedTuple):
            scale: int

        def f(x):
            options = Options(scale=2)
            return x * options.scale

    Dynamo:
        GB0147 Unsupported function call
    """
    return in_context(found, "types.SimpleNamespace")
