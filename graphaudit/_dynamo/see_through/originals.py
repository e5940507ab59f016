"""The user's containers as they were before a trace wrote to them, to be given back at its end."""

from __future__ import annotations

from collections import OrderedDict, deque
from contextlib import suppress
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

from graphaudit._dynamo.see_through.memory import MOST_BYTES, Memory

if TYPE_CHECKING:
    from collections.abc import Iterable

Container = list[Any] | deque[Any] | set[Any] | dict[Any, Any]
CONTAINERS: Final = (list, deque, set, dict)
_BASES: Final = (list, deque, set, OrderedDict, dict)
ITERATORS: Final = frozenset(
    map(type, (iter([]), reversed([]), iter(()), iter(range(0)), iter("")))
)
_NONE: Final = object()


class Originals:
    """Keeps the first known content of containers, objects, tensors and global variables."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._kept: dict[int, tuple[Container, Container]] = {}
        self._variables: dict[tuple[int, str], tuple[dict[str, Any], Any]] = {}
        self._classes: dict[int, tuple[type, dict[str, Any]]] = {}
        self._slots: dict[int, tuple[Any, dict[MemberDescriptorType, Any]]] = {}
        self.memory = Memory(most_bytes)
        self._iterators: dict[int, tuple[Any, int]] = {}
        self.looked_into: dict[int, Any] = {}  # by id: objects with all that they reach

    def keep(self, container: Container, content: Container) -> None:
        """Note the content of a container from before a change; the first note counts."""
        self._kept.setdefault(id(container), (container, content))

    def keep_variable(self, scope: dict[str, Any], name: str) -> None:
        """Note a variable of a scope from before a change; the first note counts."""
        self._variables.setdefault((id(scope), name), (scope, scope.get(name, _NONE)))

    def keep_class(self, cls: type) -> None:
        """Note the attributes of a class from before a change; the first note counts."""
        self._classes.setdefault(id(cls), (cls, dict(vars(cls))))

    def keep_slots(self, value: Any, slots: dict[MemberDescriptorType, Any]) -> None:
        """Note the attributes that an object has in slots; the first note counts."""
        self._slots.setdefault(id(value), (value, slots))

    def keep_iterator(self, value: Any) -> None:
        """Note how far an iterator is, if it is of a kind that can be set back."""
        if type(value) in ITERATORS and id(value) not in self._iterators:
            _, _, *position = value.__reduce__()
            if position and isinstance(position[0], int):  # else it is at its end already
                self._iterators[id(value)] = value, position[0]

    def keep_all(self, other: Originals) -> None:
        """Note what another one is about to give back."""
        for container, _ in other._kept.values():
            self.keep(container, copied(container))
        for (_, name), (scope, _) in other._variables.items():
            self.keep_variable(scope, name)
        for cls, _ in other._classes.values():
            self.keep_class(cls)
        for value, _ in other._slots.values():
            self.keep_slots(value, slots_of(value))
        for iterator, _ in other._iterators.values():
            self.keep_iterator(iterator)
        self.memory.keep_all(other.memory)

    def put_back(self) -> None:
        """Give containers and classes their content from before, variables their values."""
        for iterator, position in self._iterators.values():
            iterator.__setstate__(position)  # without effect where it has come to its end
        self._iterators.clear()
        for container, content in self._kept.values():
            with suppress(Exception):  # its items may have methods that raise
                if differ(container, content):
                    refill(container, content)
        self._kept.clear()
        for (_, name), (scope, value) in self._variables.items():
            if value is _NONE:
                scope.pop(name, None)
            else:
                scope[name] = value
        self._variables.clear()
        for cls, attributes in self._classes.values():
            _give_attributes(cls, attributes)
        self._classes.clear()
        for value, slots in self._slots.values():
            _give_slots(value, slots)
        self._slots.clear()
        self.memory.put_back()
        self.looked_into.clear()


def _give_attributes(cls: type, attributes: dict[str, Any]) -> None:
    """Give a class its own attributes back, past what its metaclass does about it."""
    for name, now in dict(vars(cls)).items():
        if name not in attributes:
            with suppress(Exception):  # some, Python keeps for itself
                type.__delattr__(cls, name)
        elif attributes[name] is not now:
            with suppress(Exception):
                type.__setattr__(cls, name, attributes[name])
    for name in attributes.keys() - vars(cls).keys():
        with suppress(Exception):
            type.__setattr__(cls, name, attributes[name])


def slots_of(value: Any) -> dict[MemberDescriptorType, Any]:
    """Give the attributes that an object has in slots."""
    found: dict[MemberDescriptorType, Any] = {}
    for cls in type(value).__mro__:
        for slot in vars(cls).values():
            if type(slot) is MemberDescriptorType:
                found[slot] = _slot(value, slot)
    return found


def _slot(value: Any, slot: MemberDescriptorType) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:  # it is empty
        return _NONE


def _give_slots(value: Any, slots: dict[MemberDescriptorType, Any]) -> None:
    for slot, before in slots.items():
        if _slot(value, slot) is not before:
            with suppress(Exception):  # some, Python keeps for itself
                slot.__delete__(value) if before is _NONE else slot.__set__(value, before)


def copied(container: Container) -> list[Any] | dict[Any, Any]:
    """Copy a container, as one of a plain type, past the methods of its own class."""
    base = _base(container)
    if isinstance(container, dict):
        return dict(base.items(container))
    return list(base.__iter__(container))


def differ(container: Any, content: Any) -> bool:
    """Tell whether a container holds other objects than its copy, or in another order."""
    items, before = copied(container), copied(content)
    if _ids(items) != _ids(before):
        return True
    if not isinstance(items, dict) or not isinstance(before, dict):
        return False
    return _ids(items.values()) != _ids(before.values())


def _ids(values: Iterable[Any]) -> list[int]:
    return list(map(id, values))


def refill(container: Container, content: Container) -> None:
    """Give a container the content of another one; it stays the same object."""
    base = _base(container)
    base.clear(container)
    if isinstance(content, dict):
        for key, value in content.items():
            base.__setitem__(container, key, value)
    elif isinstance(container, set):
        base.update(container, content)
    else:
        base.extend(container, content)


def _base(container: Container) -> Any:
    """Give the builtin type of a container, whose methods are not the user's."""
    return next(base for base in _BASES if issubclass(type(container), base))
