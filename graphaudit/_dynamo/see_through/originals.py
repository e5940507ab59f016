"""The user's containers as they were before a trace wrote to them, to be given back at its end."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

Container = list[Any] | deque[Any] | set[Any] | dict[Any, Any]
CONTAINERS: Final = (list, deque, set, dict)
_NONE: Final = object()


class Originals:
    """Keeps the first known content of containers, classes and single global variables."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Container, Container]] = {}
        self._variables: dict[tuple[int, str], tuple[dict[str, Any], Any]] = {}
        self._classes: dict[int, tuple[type, dict[str, Any]]] = {}
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

    def put_back(self) -> None:
        """Give containers and classes their content from before, variables their values."""
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


def differ(container: Any, content: Any) -> bool:
    """Tell whether a container holds other objects than its copy, or in another order."""
    if _ids(container) != _ids(content):
        return True
    return isinstance(container, dict) and _ids(container.values()) != _ids(content.values())


def _ids(values: Iterable[Any]) -> list[int]:
    return list(map(id, values))


def refill(container: Container, content: Container) -> None:
    """Give a container the content of another one; it stays the same object."""
    container.clear()
    if isinstance(container, list | deque):
        container.extend(content)
    else:
        container.update(content)
