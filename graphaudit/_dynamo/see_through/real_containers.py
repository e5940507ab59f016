"""Trackers of lists, tuples, dictionaries, sets and their iterators -> Python objects."""

from __future__ import annotations

import collections
import itertools
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._dynamo import exc

from graphaudit._dynamo.see_through.iterators import become_list, iterated, left_in
from graphaudit._dynamo.see_through.originals import CONTAINERS, refill
from graphaudit._dynamo.see_through.signals import CannotGoOn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.real_values import RealValues

_ITEMS: Final = 256


def _list(values: RealValues, vt: Any) -> Any:
    return _filled(values, vt, list, lambda: values.many(vt.items))


def _deque(values: RealValues, vt: Any) -> Any:
    def empty() -> Any:
        return collections.deque(maxlen=values.real(vt.maxlen))

    return _filled(values, vt, empty, lambda: values.many(vt.items))


def _dict(values: RealValues, vt: Any) -> Any:
    kind, factory = vt.python_type(), getattr(vt, "default_factory", None)

    def empty() -> Any:
        return kind() if factory is None else kind(values.real(factory))

    return _filled(values, vt, empty, lambda: values.table(vt.items))


def _set(values: RealValues, vt: Any) -> Any:
    return _filled(values, vt, set, lambda: _members(values, vt))


def _filled(
    values: RealValues, vt: Any, empty: Callable[[], Any], content: Callable[[], Any]
) -> Any:
    """Give the user's own container, else a new one; known before its items, which may hold it."""
    own = _users_own(values, vt)
    if own is None:
        made = values.keep(vt, empty())
        refill(made, content())
        return made
    values.keep(vt, own)
    if values.output.side_effects.is_modified(vt):
        before = own.copy()
        values.originals.keep(own, before)
        values.undo.append(partial(refill, own, before))
        refill(own, content())
    return own


def _users_own(values: RealValues, vt: Any) -> Any | None:
    if vt.source is None:
        return None
    own = values.output.resolve_source_value(vt.source)
    return own if type(own) in CONTAINERS else None


def _members(values: RealValues, vt: Any) -> list[Any]:
    return [values.real(item.vt) for item in vt.set_items]


def _tuple(values: RealValues, vt: Any) -> Any:
    return tuple(values.many(vt.items))


def _size(values: RealValues, vt: Any) -> Any:
    return torch.Size(values.many(vt.items))


def _by_arguments(values: RealValues, vt: Any) -> Any:
    return vt.python_type()(*values.many(vt.items))  # range, slice


def _frozenset(values: RealValues, vt: Any) -> Any:
    return frozenset(_members(values, vt))


def _view(values: RealValues, vt: Any) -> Any:
    return getattr(values.real(vt.dv_dict), vt.kv)()


def _iterator(values: RealValues, vt: Any) -> Iterator[Any]:
    return iter([] if vt.is_exhausted else values.many(vt.items[vt.index :]))


def _map(values: RealValues, vt: Any) -> Iterator[Any]:
    return map(values.real(vt.fn), *values.many(iterated(vt)))


def _zip(values: RealValues, vt: Any) -> Iterator[Any]:
    return zip(*values.many(iterated(vt)), strict=bool(vt.strict))


def _filter(values: RealValues, vt: Any) -> Iterator[Any]:
    return filter(values.real(vt.fn), *values.many(iterated(vt)))


def _count(values: RealValues, vt: Any) -> Iterator[Any]:
    return itertools.count(values.real(vt.item), values.real(vt.step))


def _repeat(values: RealValues, vt: Any) -> Iterator[Any]:
    times = getattr(vt, "remaining", None)  # torch 2.14 has it
    return itertools.repeat(values.real(vt.item), *(() if times is None else (times,)))


def _chain(values: RealValues, vt: Any) -> Iterator[Any]:
    first = () if vt.current is None else values.real(vt.current)
    rest = values.real(vt.source_iterator)
    return itertools.chain(first, itertools.chain.from_iterable(rest))


def _zip_longest(values: RealValues, vt: Any) -> Iterator[Any]:
    ended = zip(vt.iterables, vt.exhausted, strict=True)
    rest = [() if is_at_end else values.real(one) for one, is_at_end in ended]
    return itertools.zip_longest(*rest, fillvalue=values.real(vt.fillvalue))


def _range_iterator(_values: RealValues, vt: Any) -> Iterator[Any]:
    return iter(range(vt.start, vt.start + vt.len * vt.step, vt.step))


def _view_iterator(values: RealValues, vt: Any) -> Iterator[Any]:
    """Go over a new dictionary or set of what is left, as the same kind of iterator."""
    left = left_in(vt)
    if vt.view_type == "values":
        return iter(dict(enumerate(values.many(left))).values())
    if vt.view_type == "items":
        return iter({values.real(key.vt): values.real(item) for key, item in left}.items())
    keys = [values.real(key.vt) for key in left]
    return iter(set(keys) if vt.python_type() is type(iter(set())) else dict.fromkeys(keys))


def _generator(values: RealValues, vt: Any) -> Iterator[Any]:
    """Take all items of a generator that runs in the trace: a callee cannot resume it."""
    items: list[Any] = []
    while len(items) < _ITEMS:
        try:
            items.append(vt.next_variable(values.tx))
        except exc.ObservedUserStopIteration:
            exc.handle_observed_exception(values.tx)
            become_list(vt, items)
            return _iterator(values, vt)
    raise CannotGoOn(f"a generator gives more than {_ITEMS} items")


MAKERS: Final[dict[str, Callable[[RealValues, Any], Any]]] = {
    "BaseListVariable": _tuple,
    "ChainVariable": _chain,
    "ConstDictVariable": _dict,
    "CountIteratorVariable": _count,
    "DequeVariable": _deque,
    "DictViewIterator": _view_iterator,
    "DictViewVariable": _view,
    "FilterVariable": _filter,
    "FrozensetVariable": _frozenset,
    "ListIteratorVariable": _iterator,
    "ListVariable": _list,
    "LocalGeneratorObjectVariable": _generator,
    "MapVariable": _map,
    "RangeIteratorVariable": _range_iterator,
    "RangeVariable": _by_arguments,
    "RepeatIteratorVariable": _repeat,
    "SetVariable": _set,
    "SizeVariable": _size,
    "SliceVariable": _by_arguments,
    "ZipLongestVariable": _zip_longest,
    "ZipVariable": _zip,
}
