"""What a step does again: smaller ones that were done for real inside of it before it failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphaudit._dynamo.see_through.replay import Done
from graphaudit._dynamo.see_through.signals import CannotGoOn
from graphaudit._target.belongs import is_runtime

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType

CodePath = tuple["CodeType", ...]


@dataclass(slots=True)
class Again:
    """The steps inside of a larger one."""

    inside: Sequence[Done] = ()
    depth: int = 0  # how many frames stand at the larger one
    is_counted: bool = False

    def count(self) -> None:
        """Note, once, that they happen once more.

        Raises:
            CannotGoOn: Some have happened twice already.
        """
        if self.is_counted:
            return
        if any(done.is_repeated for done in self.inside):
            raise CannotGoOn("what was done for real inside would happen a third time")
        for done in self.inside:
            done.is_repeated = True
        self.is_counted = True

    @property
    def paths(self) -> frozenset[CodePath]:
        """The ways from the larger step down to the frames that they stood in, outermost first.

        A frame is told by its whole way: all functions that a decorator wraps run in one code.
        """
        return frozenset(path for done in self.inside for path in self._paths(done))

    def _paths(self, done: Done) -> Iterator[CodePath]:
        inner = done.codes[: len(done.codes) - self.depth]
        way = path_of(reversed(inner))
        return (way[:end] for end in range(1, len(way) + 1))


def path_of(codes: Iterable[CodeType]) -> CodePath:
    """Leave out torch's own frames, some of which a trace does not have."""
    return tuple(code for code in codes if not is_runtime(code.co_filename))
