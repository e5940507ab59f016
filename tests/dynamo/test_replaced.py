"""Other code in functions: whoever holds one calls it, and afterwards all is as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from graphaudit._dynamo.replaced import replaced

if TYPE_CHECKING:
    from collections.abc import Callable


def counted(first: int) -> Callable[..., int]:
    """Make a function with a cell, defaults and keywords."""

    def add(x: int, y: int = 2, *, z: int = 3) -> int:
        return first + x + y + z

    return add


class Owner:
    """Has a method."""

    def method(self, x: int) -> int:
        """Give what is given."""
        return x


def answering(function: Callable[..., int], *args: Any, **kwargs: Any) -> tuple[str, int]:
    """Call the function, and show that one was here."""
    return "seen", function(*args, **kwargs)


def test_each_function_with_the_code_is_answered() -> None:
    """The real one keeps its cell, its defaults and its keywords."""
    one, other, held = counted(10), counted(20), Owner().method
    with replaced(one.__code__, answering):
        assert one(1) == ("seen", 16)
        assert other(1, 0, z=0) == ("seen", 21)
    with replaced(Owner.method.__code__, answering):
        assert held(5) == ("seen", 5)
        assert Owner().method(6) == ("seen", 6)
    assert (one(1), other(1), held(5)) == (16, 26, 5)


def test_code_comes_back_where_the_call_raises() -> None:
    """What the target raises goes on its way."""
    one = counted(1)
    code = one.__code__
    with pytest.raises(ValueError, match="its own"), replaced(code, answering):
        raise ValueError("its own")
    assert one.__code__ is code
