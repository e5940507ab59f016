"""Iterators of the trace that a real step takes items from."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.sight import Sight


def test_a_map_that_breaks_within_a_call(
    ones: torch.Tensor, sites: Callable[..., list[str]]
) -> None:
    """The item that the failing call has taken is not lost."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        values = list(map(float, x + 1))
        if len(values) == 3:
            os.getppid()
        return x * values[0]

    assert sites(entry, ones) == ["values = list(map(float, x + 1))", "os.getppid()"]


def test_a_map_that_a_loop_goes_over(ones: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """Each item once, and to the end; the loop is one site."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        seen = 0
        for value in map(float, x.cumsum(0)):
            seen += value
        if seen == 6:
            os.getpid()
        return x * seen

    assert sites(entry, ones) == ["for value in map(float, x.cumsum(0)):", "os.getpid()"]


def test_iterators_as_arguments(ones: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """A callee outside the trace gets `zip`, `filter`, `count` and `repeat` as they are."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        pairs = take(zip([1, 2], [3, 4], strict=True))
        odd = take(filter(lambda i: i % 2, [1, 2, 3]))
        some = take(itertools.count(5, 2))
        same = take(itertools.repeat(7))
        if (pairs, odd, some, same) == ([(1, 3), (2, 4)], [1, 3], [5, 7], [7, 7]):
            os.getppid()
        return x

    found = sites(entry, ones)

    assert len(found) == 5
    assert found[-1] == "os.getppid()"


@torch.compiler.disable
def take(items: object) -> list[object]:
    """Take two items."""
    return list(itertools.islice(items, 2))  # type: ignore[call-overload]


def test_an_attribute_that_is_not_there(
    ones: torch.Tensor, sites: Callable[..., list[str]]
) -> None:
    """Dynamo puts the read off; the handler gets what Python raises."""

    def entry(x: torch.Tensor, table: dict[str, int]) -> torch.Tensor:
        try:
            x = x + table.no_such_attribute  # type: ignore[attr-defined]
        except AttributeError:
            os.getppid()
        return x * 2

    first, second = sites(entry, ones, {"a": 1})

    assert "no_such_attribute" in first
    assert second == "os.getppid()"


def test_a_slice_by_a_tensor(ones: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """Where a sequence is sliced up to a number that only the data has."""

    def entry(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        text = "abcd"[n:]
        if text == "d":
            os.getppid()
        return x

    assert sites(entry, ones, torch.tensor(3)) == ['text = "abcd"[n:]', "os.getppid()"]


@pytest.mark.parametrize(
    ("make", "rest"),
    [
        (lambda: iter([1, 2, 3]), [2, 3]),
        (lambda: iter((1, 2, 3)), [2, 3]),
        (lambda: iter(range(1, 7, 2)), [3, 5]),
        (lambda: iter("abc"), ["b", "c"]),
        (lambda: reversed([1, 2, 3]), [2, 1]),
        (lambda: iter({1: 2, 3: 4}), [3]),
        (lambda: iter({1: 2, 3: 4}.values()), [4]),
        (lambda: iter({1: 2, 3: 4}.items()), [(3, 4)]),
        (lambda: map(abs, [-1, -2, -3]), [2, 3]),
        (lambda: zip([1, 2], (3, 4), strict=True), [(2, 4)]),
        (lambda: enumerate("abc"), [(1, "b"), (2, "c")]),
        (lambda: filter(None, [0, 1, 2]), [2]),
        (lambda: itertools.chain([1], [2, 3]), [2, 3]),
        (lambda: itertools.islice(itertools.count(1, 2), 3), [3, 5]),
        (lambda: (i * 2 for i in [1, 2, 3]), [4, 6]),
        (lambda: given(), [2, 3]),
    ],
)
def test_an_iterator_that_is_partly_eaten(
    make: Callable[[], Any], rest: list[Any], ones: torch.Tensor, sites: Callable[..., list[str]]
) -> None:
    """The trace goes on behind the item that a real step took."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        items = make()
        take_one(items)
        if list(items) == rest:
            os.getppid()
        return x

    assert sites(entry, ones) == ["take_one(items)", "os.getppid()"]


def given() -> Iterator[int]:
    """Give three items."""
    yield from [1, 2, 3]


@torch.compiler.disable
def take_one(items: Any) -> Any:
    """Take an item."""
    return next(items)


def test_a_counter_that_is_partly_eaten(
    ones: torch.Tensor, sites: Callable[..., list[str]]
) -> None:
    """It has no end, but a number."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        numbers = itertools.count(5, 3)
        take_one(numbers)
        if next(numbers) == 8:
            os.getppid()
        return x

    assert sites(entry, ones) == ["take_one(numbers)", "os.getppid()"]


def test_a_shared_iterator(ones: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """What a `map` has taken is gone from what it goes over, by every name."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        source = iter([1, 2, 3, 4])
        table = {"negated": map(abs, source)}
        take_one(table["negated"])
        if next(source) == 2 and list(table["negated"]) == [3, 4]:
            os.getppid()
        return x

    assert sites(entry, ones) == ['take_one(table["negated"])', "os.getppid()"]


def test_a_restart_behind_an_eaten_iterator(see: Callable[..., Sight]) -> None:
    """The second pass takes the same items: the step is not done again, its items are gone."""

    def body(v: torch.Tensor) -> Any:
        return {1, 2}, v * 2

    def entry(x: torch.Tensor) -> torch.Tensor:
        items, numbers = iter([1, 2, 3]), itertools.count()
        take_one(items)
        take_one(numbers)
        _, y = checkpoint(body, x, use_reentrant=False)  # given up
        if (next(items), next(numbers)) == (2, 1):
            os.getppid()
        return y

    sight = see(entry, torch.ones(3, requires_grad=True))

    assert sight.sites[-1].stack[-1].source == "os.getppid()"


@pytest.mark.parametrize(
    "items", [[1, 2, 3], (1, 2, 3), "abc", range(3)], ids=lambda items: type(items).__name__
)
def test_a_users_iterator(items: Any, ones: torch.Tensor, see: Callable[..., Sight]) -> None:
    """It moves on in the call, below it too, and is set back at the end."""
    argument, attribute, reverse = iter(items), Holder(iter(items)), reversed([1, 2, 3])
    next(argument)

    def entry(x: torch.Tensor, argument: Any, holder: Holder, reverse: Any) -> torch.Tensor:
        take_one(argument)
        take_of(holder)
        take_one(reverse)
        if next(argument) == items[2] and next(holder.items) == items[1] and next(reverse) == 2:
            os.getppid()
        return x

    sight = see(entry, ones, argument, attribute, reverse)

    assert sight.sites[-1].stack[-1].source == "os.getppid()"
    assert list(argument) == list(items)[1:]
    assert list(attribute.items) == list(items)
    assert list(reverse) == [3, 2, 1]


class Holder:
    """Holds an iterator."""

    def __init__(self, items: Any) -> None:
        """Hold it."""
        self.items = items


@torch.compiler.disable
def take_of(holder: Holder) -> Any:
    """Take an item of what an object holds."""
    return next(holder.items)
