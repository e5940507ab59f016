"""The user's containers as they were before a trace wrote to them, to be given back at its end."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Any, Final

Container = list[Any] | deque[Any] | set[Any] | dict[Any, Any]
CONTAINERS: Final = (list, deque, set, dict)


class Originals:
    """Keeps the first known content of each container."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Container, Container]] = {}

    def keep(self, container: Container, content: Container) -> None:
        """Note the content of a container from before a change; the first note counts."""
        self._kept.setdefault(id(container), (container, content))

    def put_back(self) -> None:
        """Give every container its content from before."""
        for container, content in self._kept.values():
            with suppress(Exception):  # its items may have methods that raise
                refill(container, content)
        self._kept.clear()


def refill(container: Container, content: Container) -> None:
    """Give a container the content of another one; it stays the same object."""
    container.clear()
    if isinstance(container, list | deque):
        container.extend(content)
    else:
        container.update(content)
