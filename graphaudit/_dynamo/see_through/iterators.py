"""Iterators of the trace: set back where Dynamo fails, moved on where a real step takes items."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Mapping
from copy import copy
from itertools import islice
from operator import length_hint
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo.variables import ConstantVariable
from torch._dynamo.variables.base import ValueMutationNew
from torch._dynamo.variables.iter import (
    CountIteratorVariable,
    FilterVariable,
    IteratorVariable,
    MapVariable,
    ZipVariable,
)
from torch._dynamo.variables.lists import ListIteratorVariable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Memo = Mapping[int, tuple[Any, Any]]  # id of a tracker -> its object, itself

_POSITION: Final = ("index", "is_exhausted", "item", "advance_count", "start", "len")
_RANGE: Final = "RangeIteratorVariable"  # not in every torch


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


def taken(memo: Memo) -> list[int]:
    """Give how many items a step has taken from each iterator that was made real for it.

    A `map`, a `zip` or a `filter` has no position: the iterators that it goes over have.
    """
    return [_taken(vt, real) for real, vt in _with_position(memo)]


def move_on(memo: Memo, counts: Iterable[int]) -> None:
    """Take as many items from the iterators of the trace."""
    for (_, vt), count in zip(_with_position(memo), counts, strict=False):
        if isinstance(vt, ListIteratorVariable):
            vt.index += count
        elif isinstance(vt, CountIteratorVariable):
            first, step = _numbers(vt)
            vt.item = ConstantVariable.create(first + count * step)
        elif hasattr(vt, "_iter"):
            _skip(vt._iter, count)
        else:
            vt.start, vt.len = vt.start + count * vt.step, vt.len - count


def move_real_on(memo: Memo, counts: Iterable[int]) -> None:
    """Take as many items from their real counterparts."""
    for (real, _), count in zip(_with_position(memo), counts, strict=False):
        _skip(real, count)


def become_list(generator: Any, items: list[Any]) -> None:
    """Let a generator of the trace that has run to its end give items that it gave before.

    Dynamo itself hands a list iterator on where it breaks.
    """
    fresh = ListIteratorVariable(items, mutation_type=ValueMutationNew())
    # what 2.14 would close at the end of the trace
    tracked = getattr(vars(generator)["inline_tracer"].output, "local_generators", [])
    tracked[:] = [one for one in tracked if one is not generator]
    generator.__class__ = ListIteratorVariable
    vars(generator).clear()
    vars(generator).update(vars(fresh))


def _with_position(memo: Memo) -> list[tuple[Any, Any]]:
    return [(real, vt) for real, vt in memo.values() if _has_position(vt)]


def _has_position(vt: Any) -> bool:
    if isinstance(vt, CountIteratorVariable):
        return isinstance(vt.item, ConstantVariable) and bool(_numbers(vt)[1])
    is_view = isinstance(vt, IteratorVariable) and hasattr(vt, "_iter")
    return is_view or isinstance(vt, ListIteratorVariable) or type(vt).__name__ == _RANGE


def _taken(vt: Any, real: Any) -> int:
    if isinstance(vt, CountIteratorVariable):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.14 copies no counters
            first, step = _numbers(vt)
            return int((next(copy(real)) - first) / step)
    if isinstance(vt, ListIteratorVariable):
        return (0 if vt.is_exhausted else len(vt.items) - vt.index) - length_hint(real)
    return (length_hint(vt._iter) if hasattr(vt, "_iter") else vt.len) - length_hint(real)


def _numbers(counter: Any) -> tuple[Any, Any]:
    return counter.item.value, counter.step.value


def _skip(iterator: Iterator[Any], count: int) -> None:
    deque(islice(iterator, count), maxlen=0)


def _found(operands: Iterable[Any]) -> Iterator[Any]:
    for vt in operands:
        if issubclass(type(vt), IteratorVariable):  # isinstance would realize what is lazy
            if any(hasattr(vt, name) for name in _POSITION):
                yield vt
            yield from _found(iterated(vt))


def _position(vt: Any) -> dict[str, Any]:
    return {name: getattr(vt, name) for name in _POSITION if hasattr(vt, name)}
