"""State across a real step: branches behind it show what the trace believes."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import pytest
import torch

if TYPE_CHECKING:
    from collections.abc import Callable

COUNTER = 0
REACHED = ["torch._dynamo.graph_break()"]


class Holder:
    """A user's object."""

    def __init__(self) -> None:
        """Hold nothing."""
        self.number = 0


@torch.compiler.disable
def change(value: Any) -> None:
    """Change what is given."""
    if isinstance(value, Holder):
        value.number += 1
    elif isinstance(value, dict):
        value["new"] = 2
    elif isinstance(value, set):
        value.add(2)
    else:
        value.append(2)


@torch.compiler.disable
def run(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function."""
    return function(*args)


@torch.compiler.disable
def counter() -> int:
    """Read the global."""
    return COUNTER


@pytest.mark.parametrize(
    "make", [lambda: [1], lambda: {"a": 1}, lambda: {1}, lambda: collections.deque([1])]
)
@pytest.mark.parametrize("given", [True, False])
def test_containers(
    make: Callable[[], Any], given: bool, sites: Callable[..., list[str]], ones: torch.Tensor
) -> None:
    """Made in the trace or given; changed in the trace, below it, in the trace."""

    def changes(x: torch.Tensor, items: Any) -> torch.Tensor:
        if items is None:
            items = make()
        before = len(items)
        change(items)
        if len(items) == before + 1:
            torch._dynamo.graph_break()
        items.clear()
        change(items)
        if len(items) == 1:
            torch._dynamo.graph_break()
        return x + len(items)

    assert sites(changes, ones, make() if given else None) == [
        "change(items)",
        *REACHED,
        "change(items)",
        *REACHED,
    ]


def test_attributes(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """Written by both in turn."""

    def changes(x: torch.Tensor, holder: Holder) -> torch.Tensor:
        holder.number += 1
        change(holder)
        if holder.number == 2:
            torch._dynamo.graph_break()
        return x + holder.number

    assert sites(changes, ones, Holder()) == ["change(holder)", *REACHED]


def test_attribute_read_before(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """What was read stays as it was read, what is read again is new."""

    def changes(x: torch.Tensor, holder: Holder) -> torch.Tensor:
        before = holder.number
        change(holder)
        if before == 0 and holder.number == 1:
            torch._dynamo.graph_break()
        return x + before

    assert sites(changes, ones, Holder()) == ["change(holder)", *REACHED]


def test_global_variables(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """A callee reads what the trace has set."""

    def changes(x: torch.Tensor) -> torch.Tensor:
        global COUNTER
        COUNTER = 7
        if counter() == 7:
            torch._dynamo.graph_break()
        return x + COUNTER

    assert sites(changes, ones) == ["if counter() == 7:", *REACHED]
    assert COUNTER == 0


def test_cells(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """A function of the trace and its real form share their variables."""

    def changes(x: torch.Tensor) -> torch.Tensor:
        number = 0

        def increase() -> None:
            nonlocal number
            number += 1

        increase()
        real = torch.compiler.disable(increase)
        real()
        if number == 2:
            torch._dynamo.graph_break()
        return x + number

    assert sites(changes, ones) == [
        "real = torch.compiler.disable(increase)",
        "real()",
        *REACHED,
    ]


def test_cells_without_content(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """A variable that a callee sets first, and one that has no value yet."""

    def changes(x: torch.Tensor) -> torch.Tensor:
        def put(value: int) -> int:
            nonlocal new
            new = value
            try:
                return late
            except NameError:
                return 0

        def get() -> int:
            return new

        if run(put, 2) == 0 and get() == 2:
            torch._dynamo.graph_break()
        new = late = 3
        return x + new + late

    assert sites(changes, ones) == ["if run(put, 2) == 0 and get() == 2:", *REACHED]


def test_a_step_that_asks_for_a_gradient(sites: Callable[..., list[str]]) -> None:
    """What is made of the tensor has one too, and `backward()` runs."""

    def trains(x: torch.Tensor) -> torch.Tensor:
        y = (x * 2).detach()
        y.requires_grad = True
        (y * 3).sum().backward()
        if y.requires_grad:
            torch._dynamo.graph_break()
        return y

    assert sites(trains, torch.ones(3)) == [
        "y.requires_grad = True",
        "(y * 3).sum().backward()",
        *REACHED,
    ]
