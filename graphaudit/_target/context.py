"""The user's context manager around a call: what it raises by itself is told as its own."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any

from graphaudit._target.attributes import FactoryError, made_already
from graphaudit._target.words import described

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class UserContext(AbstractContextManager[None, bool]):
    """Holds what a factory's `.context` makes, or another of its attributes; nothing without one.

    Raises:
        FactoryError: It cannot be made, entered or left. What is raised inside passes through, or
            is swallowed, as the user's own manager has it.
    """

    def __init__(
        self, make: Callable[[], AbstractContextManager[Any]] | None, name: str = ".context"
    ) -> None:
        self._make = make
        self._name = name
        self._held = ExitStack()

    def __enter__(self) -> None:
        """Make the manager and enter it."""
        if self._make is None:
            return
        why = made_already(self._make)
        try:
            made = self._make()
            why = ""
            if hasattr(made, "__enter__"):
                self._held.enter_context(made)
                return
        # the target's code may raise anything
        except BaseException as error:
            raise self._blamed(error, why) from error
        raise FactoryError(f"{self._name} gave a {type(made).__name__}, no context manager")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        """Leave the manager."""
        try:
            return bool(self._held.__exit__(kind, error, traceback))
        # the target's code may raise anything
        except BaseException as raised:
            if raised is error:
                raise
            raise self._blamed(raised) from raised

    def _blamed(self, error: BaseException, why: str = "") -> FactoryError:
        return FactoryError(f"{self._name} raised {described(error)}{why}")
