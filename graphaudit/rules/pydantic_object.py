"""Recognised by Dynamo's type, or pydantic's names in the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, is_type, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA065"


def pydantic_object(found: Break) -> bool:
    """A pydantic object is made or validated inside compiled code.

    Why: pydantic checks fields in compiled Rust code, which Dynamo cannot see into.

    Fix: Make the object before the compiled call and pass its fields, or use a plain
        `dataclasses.dataclass` inside.

    Bad:
        import pydantic

        class Options(pydantic.BaseModel):
            scale: int

        def f(x):
            return x * Options(scale=2).scale

    Good:
        import dataclasses

        @dataclasses.dataclass
        class Options:
            scale: int

        def f(x):
            return x * Options(scale=2).scale

    Dynamo:
        GB3383 Pydantic dataclass constructor
        GB0156 Unsupported method call

    Notes: Reading attributes of an object that came in from outside is traced.
    """
    return (
        is_type(found, "Pydantic dataclass constructor")
        or in_context(found, "pydantic", "SchemaValidator", "SchemaSerializer")
        or skips_from(found, "pydantic", "pydantic_core")
    )
