"""Trackers of lists, tuples, dictionaries, sets and their iterators -> Python objects."""

from __future__ import annotations

import collections
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._dynamo.variables import ConstDictVariable, ListVariable

from graphaudit._dynamo.see_through.originals import refill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.originals import Container
    from graphaudit._dynamo.see_through.real_values import RealValues


def _list(values: RealValues, vt: Any) -> Any:
    own = _users_own(values, vt)
    if own is not None:
        return own
    made: list[Any] = values.keep(vt, [])
    made.extend(values.many(vt.items))
    return made


def _dict(values: RealValues, vt: Any) -> Any:
    own = _users_own(values, vt)
    if own is not None:
        return own
    factory = getattr(vt, "default_factory", None)
    made = vt.user_cls() if factory is None else vt.user_cls(values.real(factory))
    values.keep(vt, made).update(values.table(vt.items))
    return made


def _users_own(values: RealValues, vt: Any) -> Container | None:
    """Give the container that came from outside, with what the trace has changed in it."""
    if vt.source is None or type(vt) not in (ListVariable, ConstDictVariable):
        return None
    own = values.output.resolve_source_value(vt.source)
    if type(own) not in (list, dict):
        return None
    values.keep(vt, own)
    if values.output.side_effects.is_modified(vt):
        values.originals.keep(own, own.copy())
        values.undo.append(partial(refill, own, own.copy()))
        refill(own, values.many(vt.items) if type(own) is list else values.table(vt.items))
    container: Container = own
    return container


def _tuple(values: RealValues, vt: Any) -> Any:
    return tuple(values.many(vt.items))


def _size(values: RealValues, vt: Any) -> Any:
    return torch.Size(values.many(vt.items))


def _deque(values: RealValues, vt: Any) -> Any:
    return collections.deque(values.many(vt.items), values.real(vt.maxlen))


def _by_arguments(values: RealValues, vt: Any) -> Any:
    return vt.python_type()(*values.many(vt.items))  # range, slice


def _set(values: RealValues, vt: Any) -> Any:
    return {values.real(item.vt) for item in vt.set_items}


def _frozenset(values: RealValues, vt: Any) -> Any:
    return frozenset(_set(values, vt))


def _view(values: RealValues, vt: Any) -> Any:
    return getattr(values.real(vt.dv_dict), vt.kv)()


def _iterator(values: RealValues, vt: Any) -> Iterator[Any]:
    return iter(values.many(vt.items[vt.index :]))


MAKERS: Final[dict[str, Callable[[RealValues, Any], Any]]] = {
    "BaseListVariable": _tuple,
    "ConstDictVariable": _dict,
    "DequeVariable": _deque,
    "DictViewVariable": _view,
    "FrozensetVariable": _frozenset,
    "ListIteratorVariable": _iterator,
    "ListVariable": _list,
    "RangeVariable": _by_arguments,
    "SetVariable": _set,
    "SizeVariable": _size,
    "SliceVariable": _by_arguments,
}
