"""Containers get their first known content back; no trace."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import pytest

from graphaudit._dynamo.see_through.originals import Originals, copied, differ, refill


@pytest.mark.parametrize(
    ("container", "content"),
    [([1], [2, 3]), ({"a": 1}, {"b": 2}), ({1}, [2]), (deque([1]), [2, 3])],
)
def test_refill(container: Any, content: Any) -> None:
    """The same object, other items."""
    before = container

    refill(container, content)

    assert container is before
    assert type(content)(container) == content


class Loud(list[int]):
    """A list whose own methods must not be asked."""

    def extend(self, *_: Any) -> None:
        """Refuse."""
        raise AssertionError

    clear = __iter__ = append = extend  # type: ignore[assignment]


def made_in_order() -> OrderedDict[str, int]:
    """Make one whose order is not that of its insertions."""
    made = OrderedDict(a=1, b=2, c=3)
    made.move_to_end("a")
    return made


@pytest.mark.parametrize(
    ("container", "change"),
    [
        (Counter("aab"), lambda one: one.update("abc")),
        (defaultdict(int, a=1), lambda one: one["b"]),
        (made_in_order(), lambda one: one.move_to_end("b")),
        (made_in_order(), lambda one: one.clear()),
        (Loud([1, 2]), lambda one: list.append(one, 3)),
        (Loud([1, 2]), list.reverse),
    ],
)
def test_subclasses(container: Any, change: Any) -> None:
    """By the methods of their base class."""
    originals = Originals()
    before = copied(container)
    originals.keep(container, before)
    change(container)
    assert differ(container, before)

    originals.put_back()

    assert not differ(container, before)
    assert copied(container) == before


def test_first_note_counts() -> None:
    """What was there before the first change."""
    items, originals = [1], Originals()
    originals.keep(items, [1])
    items.append(2)
    originals.keep(items, [1, 2])
    items.append(3)

    originals.put_back()

    assert items == [1]
