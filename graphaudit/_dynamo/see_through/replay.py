"""The real steps of a trace, so that none is done again when Dynamo restarts its analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, kw_only=True)
class Done:
    """One step: where, and what came of it."""

    key: tuple[Any, ...]  # code, offset, kind of step
    result: Any = None
    error: Exception | SystemExit | None = None  # what it raised
    taken: Sequence[int] = ()  # items that it took from iterators among its operands
    codes: tuple[Any, ...] = ()  # of the frames that stood at it, innermost first
    is_pure: bool = False  # it has no effect
    is_repeated: bool = False  # its effects have happened once more, as part of another step


class Replay:
    """Gives a restarted analysis the results of the steps that the pass before has done."""

    def __init__(self) -> None:
        self._done: list[Done] = []
        self._next = 0

    def __len__(self) -> int:
        return len(self._done)

    @property
    def position(self) -> int:
        """How many steps this pass has come by."""
        return self._next

    def since(self, position: int) -> list[Done]:
        """Give the steps that this pass has come by since an earlier position."""
        return self._done[position : self._next]

    def drop(self, position: int) -> None:
        """Forget the steps since an earlier position: no pass will come by them again."""
        del self._done[position : self._next]
        self._next = min(position, self._next)

    def rewind(self) -> None:
        """Start at the first step again."""
        self._next = 0

    def clear(self) -> None:
        """Forget all: another frame is traced now."""
        self._done.clear()
        self._next = 0

    def take(self, key: tuple[Any, ...]) -> Done | None:
        """Give the step if it is done; steps that this pass does not come by are left out."""
        for index in range(self._next, len(self._done)):
            if self._done[index].key == key:
                self._next = index + 1
                return self._done[index]
        return None

    def add(self, done: Done) -> None:
        """Keep a step that was done just now."""
        self._done.insert(self._next, done)
        self._next += 1
