"""Iterators of the trace become real ones for a callee that is outside it."""

from __future__ import annotations

import collections
import itertools
import os
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo.variables import iter as iter_variables
from torch._dynamo.variables import lists

from graphaudit._dynamo.see_through.real_containers import MAKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ABSTRACT = {"IteratorVariable"}


@torch.compiler.disable
def take(items: Iterator[Any], number: int) -> list[Any]:
    """Take some items."""
    return list(itertools.islice(items, number))


MADE: list[tuple[Callable[[], Iterator[Any]], list[Any]]] = [
    (lambda: iter([1, 2, 3]), [1, 2, 3]),
    (lambda: iter((1, 2, 3)), [1, 2, 3]),
    (lambda: iter(range(5, 0, -2)), [5, 3, 1]),
    (lambda: iter({"a": 1, "b": 2, "c": 3}), ["a", "b", "c"]),
    (lambda: iter({"a": 1, "b": 2, "c": 3}.keys()), ["a", "b", "c"]),
    (lambda: iter({"a": 1, "b": 2, "c": 3}.values()), [1, 2, 3]),
    (lambda: iter({"a": 1, "b": 2, "c": 3}.items()), [("a", 1), ("b", 2), ("c", 3)]),
    (lambda: iter({1, 2, 3}), [1, 2, 3]),
    (lambda: iter(frozenset({1, 2, 3})), [1, 2, 3]),
    (lambda: iter("abc"), ["a", "b", "c"]),
    (lambda: iter(collections.deque([1, 2, 3])), [1, 2, 3]),
    (lambda: reversed([3, 2, 1]), [1, 2, 3]),
    (lambda: enumerate([1, 2, 3]), [(0, 1), (1, 2), (2, 3)]),
    (lambda: zip([1, 2, 3], iter(range(3)), strict=True), [(1, 0), (2, 1), (3, 2)]),
    (lambda: map(abs, iter({-1, -2, -3})), [3, 2, 1]),
    (lambda: filter(None, iter((1, 0, 2, 3))), [1, 2, 3]),
    (lambda: itertools.chain([1], [2, 3]), [1, 2, 3]),
]


@pytest.mark.parametrize(("make", "expected"), MADE)
def test_all_items(
    make: Callable[[], Iterator[Any]],
    expected: list[Any],
    sites: Callable[..., list[str]],
    ones: torch.Tensor,
) -> None:
    """A callee gets each."""

    def gives(x: torch.Tensor) -> torch.Tensor:
        if sorted(take(make(), 9)) == sorted(expected):
            os.getppid()
        return x

    assert sites(gives, ones)[1:] == ["os.getppid()"]


def test_exhausted(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """What the trace has gone through holds nothing for a callee."""

    def empties(x: torch.Tensor) -> torch.Tensor:
        items = iter([1, 2])
        list(items)
        if not take(items, 2):
            os.getppid()
        return x

    assert sites(empties, ones)[1:] == ["os.getppid()"]


def test_every_kind_has_a_maker() -> None:
    """A new one in Dynamo is to be thought about."""
    kinds = {
        cls
        for module in (iter_variables, lists)
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, iter_variables.IteratorVariable)
    }

    lacking = {
        cls.__name__ for cls in kinds if not any(base.__name__ in MAKERS for base in cls.__mro__)
    }

    assert len(kinds) > 8
    assert lacking == _ABSTRACT
