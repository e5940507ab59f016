"""What a step does again: smaller ones that were done for real inside of it before it failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from graphaudit._dynamo.see_through.replay import Done
from graphaudit._dynamo.see_through.signals import CannotGoOn

if TYPE_CHECKING:
    from types import CodeType


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
    def codes(self) -> frozenset[CodeType]:
        """The code of the frames below the larger step that they stood in."""
        inner = (done.codes[: len(done.codes) - self.depth] for done in self.inside)
        return frozenset(chain.from_iterable(inner))
