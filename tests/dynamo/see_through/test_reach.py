"""What a call can reach is given back; no trace."""

from __future__ import annotations

import sys
from collections import Counter, deque
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Slots:
    """Has its attributes in slots, and takes no others."""

    number: int
    names: list[str]


class Named(dict[str, int]):
    """A dictionary with attributes."""

    made = 0


def writes(slots: Slots, named: Named, counter: Counter[str], keep: Callable[..., None]) -> None:
    """Write to objects that are not of a plain type."""
    keep(sys._getframe())
    object.__setattr__(slots, "number", 2)
    slots.names.append("b")
    object.__delattr__(slots, "names")
    named["b"] = 2
    named.made = 3
    counter.update("ab")


def test_subclasses_and_slots() -> None:
    """Items, attributes, and both."""
    slots, named, counter, originals = Slots(1, ["a"]), Named(a=1), Counter("a"), Originals()

    writes(slots, named, counter, partial(keep_reachable, originals=originals))
    assert (slots.number, len(named), len(counter)) == (2, 2, 2)
    originals.put_back()

    assert slots == Slots(1, ["a"])
    assert (named, vars(named)) == ({"a": 1}, {})
    assert counter == Counter("a")


def trains(layer: torch.nn.Linear, noise: torch.Tensor, keep: Callable[..., None]) -> None:
    """Write to tensors in each way."""
    keep(sys._getframe())
    layer(torch.ones(1)).sum().backward()
    with torch.no_grad():
        layer.weight.add_(1)
    layer.bias.data = layer.bias.data + 1
    noise[1:].data.mul_(2)


def test_tensors() -> None:
    """Parameters, buffers, their data and their gradients."""
    layer, noise, originals = torch.nn.Linear(1, 1), torch.ones(3), Originals()
    layer.weight.grad = torch.ones(1, 1)
    gradient, place = layer.weight.grad, layer.bias.data_ptr()
    before = {name: one.clone() for name, one in layer.state_dict().items()}

    trains(layer, noise, partial(keep_reachable, originals=originals))
    assert gradient.item() == 2
    assert layer.bias.data_ptr() != place
    assert noise.tolist() == [1, 2, 2]
    originals.put_back()

    assert all(torch.equal(one, before[name]) for name, one in layer.state_dict().items())
    assert layer.weight.grad is gradient
    assert gradient.item() == 1
    assert layer.bias.grad is None
    assert layer.bias.data_ptr() == place
    assert noise.tolist() == [1, 1, 1]


def test_much_memory() -> None:
    """It is not copied: too large a tensor stays as it was left, another is given back."""
    large, small, originals = torch.zeros(1 << 25), torch.zeros(1), Originals()

    def fills(one: torch.Tensor, other: torch.Tensor, keep: Callable[..., None]) -> None:
        keep(sys._getframe())
        one.fill_(1)
        other.fill_(1)

    fills(large, small, partial(keep_reachable, originals=originals))
    originals.put_back()

    assert (large[0].item(), small.item()) == (1, 0)
