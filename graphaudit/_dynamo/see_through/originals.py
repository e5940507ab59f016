"""The user's containers as they were before a trace wrote to them, to be given back at its end."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

Container = list[Any] | dict[Any, Any]


class Originals:
    """Keeps the first known content of each list and dictionary."""

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
    """Give a list or dictionary the content of another one; it stays the same object."""
    if isinstance(container, list):
        container[:] = content
        return
    container.clear()
    container.update(content)
