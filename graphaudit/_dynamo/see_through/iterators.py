"""Iterators of the trace: how far they were when a step began, to be set back if it fails."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo.variables.iter import (
    CountIteratorVariable,
    FilterVariable,
    IteratorVariable,
    MapVariable,
    ZipVariable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_POSITION: Final = ("index", "is_exhausted", "item", "advance_count")


class Positions:
    """The positions of the iterators among some operands, and of those that these go over."""

    __slots__ = ("_kept",)

    def __init__(self, operands: Iterable[Any]) -> None:
        self._kept = [(vt, _position(vt)) for vt in _found(operands)]

    def put_back(self) -> None:
        """Set the iterators back: a failed step has taken items that the real one needs."""
        for vt, position in self._kept:
            for name, value in position.items():
                setattr(vt, name, value)


def iterated(vt: Any) -> list[Any]:
    """Give the iterators that a `map`, `zip` or `filter` takes its items from."""
    if isinstance(vt, MapVariable | ZipVariable):
        # a tuple of them; in torch 2.11 a list
        inner: Any = getattr(vt, "iterable", None) or getattr(vt, "iterables", [])
        return list(getattr(inner, "items", inner))
    return [vt.iterable] if isinstance(vt, FilterVariable) else []


def left_in(vt: Any) -> list[Any]:
    """Give what an iterator over a dictionary or a set still has to give, without taking it."""
    return list(copy(vt._iter))


def _found(operands: Iterable[Any]) -> Iterator[Any]:
    for vt in operands:
        if issubclass(type(vt), IteratorVariable):  # isinstance would realize what is lazy
            if hasattr(vt, "index") or isinstance(vt, CountIteratorVariable):
                yield vt
            yield from _found(iterated(vt))


def _position(vt: Any) -> dict[str, Any]:
    return {name: getattr(vt, name) for name in _POSITION if hasattr(vt, name)}
