"""Trackers become real objects: what a callee gets that the trace cannot look into."""

from __future__ import annotations

import collections
import functools
import itertools
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight

KEYS = {"a": 1}.keys()
GIVEN: SimpleQueue[Any] = SimpleQueue()  # a list would be as before after the trace


@torch.compiler.disable
def take(value: Any) -> None:
    """Keep what arrives."""
    GIVEN.put(value)


def given() -> list[Any]:
    """Give what has arrived since the last time."""
    return [GIVEN.get() for _ in range(GIVEN.qsize())]


@dataclass
class Record:
    """Made in the trace."""

    number: int
    items: list[int] = field(default_factory=list)


class Pair(NamedTuple):
    """Made in the trace."""

    one: int
    two: str


class Table(dict[str, int]):
    """A subclass of dict."""


def record() -> Record:
    """Make and change one."""
    made = Record(1)
    made.items.append(2)
    made.number = 3
    return made


def adder(number: int) -> Callable[[int], int]:
    """Make a closure."""

    def add(other: int, *, more: int = 1) -> int:
        return number + other + more

    return add


def table() -> Table:
    """Make a subclass's instance."""
    made = Table()
    made["a"] = 1
    return made


def grouped() -> collections.defaultdict[str, list[int]]:
    """Make a dictionary with a factory."""
    made: collections.defaultdict[str, list[int]] = collections.defaultdict(list)
    made["a"].append(1)
    return made


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: 1, 1),
        (lambda: [1, (2, {"a": 3})], [1, (2, {"a": 3})]),
        (lambda: {1, 2}, {1, 2}),
        (lambda: frozenset({1}), frozenset({1})),
        (lambda: range(1, 5, 2), range(1, 5, 2)),
        (lambda: slice(1, 2), slice(1, 2)),
        (lambda: collections.deque([1], maxlen=2), collections.deque([1], maxlen=2)),
        (lambda: collections.OrderedDict(a=1), collections.OrderedDict(a=1)),
        (lambda: {"a": 1}.keys(), KEYS),
        (grouped, {"a": [1]}),
        (table, {"a": 1}),
        (record, Record(3, [2])),
        (lambda: Pair(1, "b"), Pair(1, "b")),
        (lambda: torch.Size([2]), torch.Size([2])),
    ],
)
def test_values(
    make: Callable[[], Any], expected: object, see: Callable[..., Sight], ones: torch.Tensor
) -> None:
    """Equal, and of the same type where a subclass is made."""

    def gives(x: torch.Tensor) -> torch.Tensor:
        take(make())
        return x + 1

    assert see(gives, ones).stopped_at is None

    (taken,) = given()
    assert taken == expected


def test_types(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Subclasses stay what they are."""

    def gives(x: torch.Tensor) -> torch.Tensor:
        take(table())
        take(Pair(1, "b"))
        take(grouped())
        return x + 1

    see(gives, ones)

    taken = given()
    assert [type(one) for one in taken] == [Table, Pair, collections.defaultdict]
    assert taken[2].default_factory is list


def test_tensors(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Computed by the graph so far, in-place operators once and in order."""

    def gives(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        y.mul_(3)
        take(y.clone())
        y.add_(1)
        take(y.clone())
        return y

    see(gives, ones)

    taken = given()
    assert torch.equal(taken[0], torch.full((3,), 6.0))
    assert torch.equal(taken[1], torch.full((3,), 7.0))


def test_callables(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Closures, methods, partial functions."""

    def gives(x: torch.Tensor) -> torch.Tensor:
        take(adder(1))
        take([3, 1].index)
        take(functools.partial(adder(2), more=5))
        return x + 1

    see(gives, ones)

    add, index, part = given()
    assert add(2) == 4
    assert index(1) == 1
    assert part(1) == 8


def test_generators(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """One that runs in the trace is drained for a callee."""

    def gives(x: torch.Tensor) -> torch.Tensor:
        take(number * 2 for number in range(3))
        return x + 1

    assert see(gives, ones).stopped_at is None

    taken = given()
    assert list(taken[0]) == [0, 2, 4]


def test_an_endless_generator(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Is not drained: the trace stops."""

    def gives(x: torch.Tensor) -> torch.Tensor:
        take(number for number in itertools.count())
        return x + 1

    stopped = see(gives, ones).stopped_at

    assert stopped is not None
    assert "a generator gives more than 256 items" in stopped.why


def test_the_users_own_objects(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """A list from outside arrives as itself."""
    own: list[int] = [1]

    def gives(x: torch.Tensor, items: list[int]) -> torch.Tensor:
        items.append(2)
        take(items)
        return x + 1

    see(gives, ones, own)

    taken = given()
    assert taken[0] is own
    assert own == [1]
