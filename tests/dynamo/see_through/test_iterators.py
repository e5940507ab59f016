"""Iterators of the trace that a real step takes items from."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable


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
