"""The user's context manager around a call."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import pytest
import torch

from graphaudit._target.attributes import FactoryError
from graphaudit._target.context import UserContext

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


@contextmanager
def quiet() -> Iterator[None]:
    """Do nothing."""
    yield


class Reused(AbstractContextManager[None, None]):
    """Gives itself, and cannot be entered."""

    def __call__(self) -> Reused:
        """Give what is to be entered."""
        return self

    def __enter__(self) -> None:
        """Fail."""
        raise OSError("no device")

    def __exit__(self, *_: object) -> None:
        """Do nothing."""


@pytest.mark.parametrize(("manager", "name"), [(torch.no_grad(), "no_grad"), (quiet(), "quiet")])
def test_a_manager_that_is_made_already(manager: Any, name: str) -> None:
    """It is callable, as a decorator; the message says what to write instead."""
    told = (
        rf"^\.context raised TypeError: .* is a context manager itself; .* `{name}` without `\(\)`"
    )
    with pytest.raises(FactoryError, match=told):
        entered(manager, ValueError("other"))


def test_a_manager_that_gives_itself() -> None:
    """Its own failure is told as any other."""
    with pytest.raises(FactoryError, match=r"^\.context raised OSError: no device$"):
        entered(Reused(), ValueError("other"))
