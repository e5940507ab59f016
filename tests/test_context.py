"""The user's context manager around a call."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import pytest

from graphaudit._target.context import UserContext
from graphaudit._target.factory import FactoryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def entered(make: Callable[[], AbstractContextManager[Any]] | None, error: Exception) -> None:
    """Raise below a context."""
    with UserContext(make):
        raise error


def fails() -> AbstractContextManager[Any]:
    """Fail when it is made."""
    raise OSError("no device")


@contextmanager
def fails_at_start() -> Iterator[None]:
    """Fail when it is entered."""
    raise OSError("no device")
    yield


@contextmanager
def fails_at_end() -> Iterator[None]:
    """Fail when it is left."""
    try:
        yield
    finally:
        raise OSError("no device")


@pytest.mark.parametrize("make", [fails, fails_at_start, fails_at_end])
def test_its_own_failures_are_named(make: Callable[[], AbstractContextManager[Any]]) -> None:
    """Wherever they come from."""
    with pytest.raises(FactoryError, match=r"^\.context raised OSError: no device$"):
        entered(make, ValueError("other"))


@pytest.mark.parametrize("make", [None, nullcontext, lambda: suppress(KeyError)])
def test_what_is_raised_inside_passes(make: Callable[[], AbstractContextManager[Any]]) -> None:
    """It is not the context's fault."""
    with pytest.raises(ValueError, match=r"^other$"):
        entered(make, ValueError("other"))


def test_it_may_swallow() -> None:
    """As in a plain program."""
    entered(lambda: suppress(ValueError), ValueError("other"))


def test_no_manager() -> None:
    """What it gave is named."""
    make: Any = lambda: 3  # noqa: E731
    with pytest.raises(FactoryError, match=r"^\.context gave a int, no context manager$"):
        entered(make, ValueError("other"))
