"""Trackers of instances of the user's classes -> the objects, with the trace's pending writes."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from inspect import getattr_static
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo.variables import ConstDictVariable, DeletedVariable, ListVariable, TupleVariable

from graphaudit._dynamo.see_through.originals import CONTAINERS, copied

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.real_values import RealValues

_NONE: Final = object()


@dataclass(frozen=True, slots=True)
class Write:
    """An attribute or global variable that was written for real ahead of a step."""

    vt: Any
    scope: dict[str, Any]  # the object's own attributes; empty where it has no dictionary
    name: str
    value: Any

    def now(self) -> Any:
        """Give the value that the attribute has now."""
        return self.scope.get(self.name, self.value)


def _instance(values: RealValues, vt: Any) -> Any:
    side, base = values.output.side_effects, getattr(vt, "_base_vt", None)
    made = values.keep(vt, vt.value)
    if base is not None and (not vt.source or side.is_modified(base) or side.is_modified(vt)):
        made = _filled(values, vt, made, base)
    for name, pending in side.store_attr_mutations.get(vt, {}).items():
        with suppress(Exception):  # properties, slots and the like: the object stays as it is
            _write(values, vt, made, name, pending)
    return made


def _filled(values: RealValues, vt: Any, made: Any, base: Any) -> Any:
    """Give an instance of a subclass of dict, list or tuple its content."""
    if vt.source and isinstance(made, CONTAINERS):
        values.originals.keep(made, copied(made))
    if isinstance(base, ConstDictVariable):
        old = dict(made)
        _refill_dict(made, values.table(base.items))
        if vt.source:
            values.undo.append(partial(_refill_dict, made, old))
    elif isinstance(base, ListVariable):
        old_items = list(made)
        list.__setitem__(made, slice(None), values.many(base.items))
        if vt.source:
            values.undo.append(partial(list.__setitem__, made, slice(None), old_items))
    elif isinstance(base, TupleVariable) and not vt.source:
        items = values.many(base.items)
        named = hasattr(type(made), "_fields")
        new = type(made)(*items) if named else tuple.__new__(type(made), items)
        return values.keep(vt, new)
    return made


def _refill_dict(made: Any, content: dict[Any, Any]) -> None:
    kind = OrderedDict if isinstance(made, OrderedDict) else dict  # past the class's own methods
    kind.clear(made)
    for key, value in content.items():
        kind.__setitem__(made, key, value)


def _write(values: RealValues, vt: Any, owner: Any, name: str, pending: Any) -> None:
    attributes = getattr(owner, "__dict__", None)
    if vt.source and type(attributes) is dict:
        values.originals.keep(attributes, attributes.copy())
    old = _own(owner, name)
    new = _NONE if isinstance(pending, DeletedVariable) else values.real(pending)
    _set_attribute(owner, name, new)
    if vt.source:  # objects that the trace made are nobody else's
        values.undo.append(partial(_set_attribute, owner, name, old))
    values.written.append(Write(vt, getattr(owner, "__dict__", {}), name, new))


def _own(owner: Any, name: str) -> Any:
    """Read an attribute of the instance itself, not one of its class."""
    scope = getattr(owner, "__dict__", {})
    if name in scope:
        return scope[name]
    in_class = getattr_static(type(owner), name, None)
    return getattr(owner, name, _NONE) if isinstance(in_class, MemberDescriptorType) else _NONE


def write_globals(values: RealValues, vt: Any, scope: dict[str, Any]) -> None:
    """Write the global variables that the trace has set, as callees read them."""
    for name, pending in values.output.side_effects.store_attr_mutations.get(vt, {}).items():
        new = _NONE if isinstance(pending, DeletedVariable) else values.real(pending)
        values.originals.keep_variable(scope, name)
        values.undo.append(partial(_set_item, scope, name, scope.get(name, _NONE)))
        _set_item(scope, name, new)
        values.written.append(Write(vt, scope, name, new))


def _set_item(scope: dict[str, Any], name: str, value: Any) -> None:
    if value is _NONE:
        scope.pop(name, None)
    else:
        scope[name] = value


def _set_attribute(owner: Any, name: str, value: Any) -> None:
    """Set or delete an attribute past the class's own `__setattr__`, which Dynamo has traced."""
    if value is _NONE:
        object.__delattr__(owner, name)
    else:
        object.__setattr__(owner, name, value)


MAKERS: Final[dict[str, Callable[[RealValues, Any], Any]]] = {
    "UserDefinedObjectVariable": _instance,
}
