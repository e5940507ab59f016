"""Below real steps a function is traced in each way that it is called, from the same state."""

from __future__ import annotations

import os
import sys
import time
from enum import Enum
from typing import TYPE_CHECKING, Any

import pytest
import torch

from graphaudit._dynamo.see_through.record import preferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight

COUNT = 0


@torch.compiler.disable(recursive=False)
def opaque(call: Callable[..., Any], *args: Any) -> Any:
    """Call for real."""
    return [call(arg) for arg in args]


def below(call: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    """Make an entry that calls something below a step."""

    def entry(_: torch.Tensor) -> Any:
        return opaque(call, *args)

    return entry


class Kind(Enum):
    """Two ways."""

    ONE = 1
    TWO = 2


class Box:
    """Has a flag."""

    def __init__(self, *, flag: bool) -> None:
        """Take the flag."""
        self.flag = flag

    def asks(self, _: object) -> int:
        """Break in one of two ways."""
        if self.flag:
            return 1
        time.sleep(0)
        return 2


def chooses(way: object) -> int:
    """Break in all ways but a few."""
    if way in (None, "a", 1, Kind.ONE, len) or way is first:
        return 1
    time.sleep(0)
    return 2


def first() -> None:
    """Be given."""


def second() -> None:
    """Be given instead."""


@pytest.mark.parametrize(
    ("one", "other"),
    [("a", "b"), (None, 2.0), (1, 2), (Kind.ONE, Kind.TWO), (first, second), (1, [1])],
)
def test_arguments(
    one: object, other: object, sites: Callable[..., list[str]], ones: torch.Tensor
) -> None:
    """They decide which way is taken."""
    found = sites(below(chooses, one, other), ones)

    assert found[1:] == ["time.sleep(0)"]


def test_attributes(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """Of the object whose method is called."""

    def asks(box: Box) -> int:
        return box.asks(0)

    found = sites(below(asks, Box(flag=True), Box(flag=False)), ones)

    assert found[1:] == ["time.sleep(0)"]


def test_below_one_that_is_like_another(
    sites: Callable[..., list[str]], ones: torch.Tensor
) -> None:
    """The second call is not traced, what it calls in another way is."""

    def unpacks(value: list[float]) -> int:
        return chooses("a" if value[0] < 1 else "b")

    found = sites(below(unpacks, [0.5], [1.5]), ones)

    assert found[1:] == ["time.sleep(0)"]


def test_each_call_once(
    sites: Callable[..., list[str]], ones: torch.Tensor, capsys: pytest.CaptureFixture[str]
) -> None:
    """A way is traced with its caller, and no second time alone."""

    def says(word: str) -> None:
        sys.stdout.write(f"{word}\n")

    def says_both(_: object) -> None:
        says("a")
        says("b")

    sites(below(says_both, 0), ones)

    assert sorted(capsys.readouterr().out.split()) == ["a", "a", "b", "b"]


def test_too_many(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """The list is called incomplete."""
    sight = see(below(chooses, *"abcdefghijklmn"), ones)

    assert sight.stopped_at is not None
    assert sight.stopped_at.why == "called below a real step in more ways than are traced"
    assert preferred(sight.sites[-1].stack).source == "time.sleep(0)"


def test_state(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """Each trace starts from what its call found."""
    seen: list[int] = []
    buffer = torch.zeros(1)

    def once(number: int) -> None:
        global COUNT
        if len(seen) == number == COUNT:
            os.getppid()
        if number == 1 and buffer.item() == 1:
            time.sleep(0)
        seen.append(1)
        COUNT += 1
        buffer.add_(1)

    found = sites(below(once, 0, 1), ones)

    assert found[1:] == ["os.getppid()", "if number == 1 and buffer.item() == 1:", "time.sleep(0)"]
    assert (seen, COUNT, buffer.item()) == ([], 0, 0)


def test_state_of_the_trace(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """What the trace wrote before the step is among it."""

    def reads(items: list[int]) -> None:
        if items == [1, 2]:
            os.getppid()

    def entry(_: torch.Tensor, items: list[int]) -> Any:
        items.append(2)
        return opaque(reads, items)

    own = [1]
    assert sites(entry, ones, own)[1:] == ["os.getppid()"]
    assert own == [1]
