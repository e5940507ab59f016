"""Containers get their first known content back; no trace."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from graphaudit._dynamo.see_through.originals import Originals, refill


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


def test_first_note_counts() -> None:
    """What was there before the first change."""
    items, originals = [1], Originals()
    originals.keep(items, [1])
    items.append(2)
    originals.keep(items, [1, 2])
    items.append(3)

    originals.put_back()

    assert items == [1]
