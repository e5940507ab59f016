"""Steps that have no effect, and those that may have one."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from graphaudit._dynamo.see_through.purity import is_pure

ONES = torch.ones(3)


class Loud:
    """Has an effect when it is converted."""

    def __bool__(self) -> bool:
        """Count as what it may do."""
        return True


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "pure"),
    [
        (ONES.nonzero, (), {}, True),
        (torch.where, (ONES,), {}, True),
        (torch.Tensor.item, (ONES,), {}, True),
        (torch._C._nn.gelu, (ONES,), {}, True),
        (bool, (ONES,), {}, True),
        (format, (ONES, "x"), {}, True),
        (ONES.add_, (1,), {}, False),
        (ONES.__setitem__, (0, 1), {}, False),
        (ONES.__iadd__, (1,), {}, False),
        (ONES.backward, (), {}, False),
        (torch.add, (ONES, 1), {"out": ONES}, False),
        (bool, (Loud(),), {}, False),
        (ONES.map_, (ONES, print), {}, False),
        (print, (ONES,), {}, False),
        (len, ([1],), {}, True),
        ([].append, (1,), {}, False),
        (next, (iter([1]),), {}, False),
    ],
)
def test_purity(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], pure: bool) -> None:
    """Only what certainly writes nothing and runs no code of the user's."""
    assert is_pure(function, args, kwargs) is pure
