"""Recognised by the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA916"


def missing_operator_rule(found: Break) -> bool:
    """An operator on objects for which Dynamo has no rule.

    Why: Dynamo computes `+`, `-`, `int()`, `==` and the like for the types that it knows, and
        does not know this one.

    Fix: Use numbers, strings, lists or tensors on both sides, made outside the compiled function
        if they cannot be made of these objects inside it.

    Bad:
        def f(x):
            left = (number for number in range(2))
            right = (number for number in range(3))
            return x if left == right else x + 1

    Good:
        def f(x):
            left = [number for number in range(2)]
            right = [number for number in range(3)]
            return x if left == right else x + 1

    Dynamo:
        GB3006 tp_as_number slot not implemented
        GB3775 nb_int_impl not implemented
        GB7286 nb_float_impl not implemented
        GB0755 nb_negative_impl not implemented
        GB9648 Missing richcompare_impl override
        GB2483 str_impl not implemented
        GB0214 unsupported SymNode comparison op
        GB0215 unsupported Tensor comparison op
        GB6215 Unresolved GetAttrVariable comparison
    """
    return any(
        word in root(found).gb_type
        for word in ("_impl", "slot not implemented", "comparison", "richcompare")
    )
