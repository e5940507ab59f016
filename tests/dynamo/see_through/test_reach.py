"""What a call can reach is given back; no trace."""

from __future__ import annotations

import sys
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from graphaudit._dynamo.see_through.originals import Originals
from graphaudit._dynamo.see_through.reach import keep_reachable

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 0
TABLE: dict[str, Any] = {"deep": [{1}]}


class Thing:
    """Has attributes, one of them another thing."""

    made = 0
    names: ClassVar[list[str]] = []

    def __init__(self, inner: Thing | None = None) -> None:
        """Start with nothing done."""
        self.done: deque[int] = deque()
        self.inner = inner


def changes(given: tuple[Thing], layer: torch.nn.Module, keep: Callable[..., None]) -> None:
    """Write to a global variable and to objects behind globals and arguments."""
    global COUNT, MADE
    keep(sys._getframe())
    COUNT += 1
    MADE = 1
    TABLE["deep"][0].add(2)
    inner = given[0].inner
    assert inner is not None
    inner.done.append(1)
    type(inner).made = 1
    type(inner).names.append("new")
    type(inner).late = 1  # type: ignore[attr-defined]
    inner.extra = 1  # type: ignore[attr-defined]
    layer.extra = 1  # type: ignore[assignment]


def test_all_is_given_back() -> None:
    """Variables, containers, attributes, however deep."""
    thing, layer, originals = Thing(Thing()), torch.nn.Linear(1, 1), Originals()
    before = sorted(vars(layer))

    changes((thing,), layer, partial(keep_reachable, originals=originals))
    assert COUNT == 1
    assert TABLE["deep"] == [{1, 2}]
    originals.put_back()

    assert COUNT == 0
    assert {"deep": [{1}]} == TABLE
    assert "MADE" not in globals()
    assert (Thing.made, Thing.names) == (0, [])
    assert not hasattr(Thing, "late")
    assert thing.inner is not None
    assert vars(thing.inner) == {"done": deque(), "inner": None}
    assert sorted(vars(layer)) == before


def test_a_circle() -> None:
    """Each object is looked at once."""
    thing, originals = Thing(), Originals()
    thing.inner = thing
    before = dict(vars(thing))

    changes((thing,), torch.nn.Identity(), partial(keep_reachable, originals=originals))
    originals.put_back()

    assert vars(thing) == before
    assert thing.done == deque()


def test_names_of_a_module() -> None:
    """They are left alone, but for the variables that the call itself writes."""
    originals = Originals()

    def holds(scope: dict[str, Any], keep: Callable[..., None]) -> None:
        keep(sys._getframe())
        scope["MADE"] = 1

    holds(globals(), partial(keep_reachable, originals=originals))
    originals.put_back()

    assert globals().pop("MADE") == 1
