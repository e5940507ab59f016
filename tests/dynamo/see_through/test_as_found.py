"""A trace leaves the user's objects, the process and later compilations as they were."""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch

from graphaudit._dynamo.passes import Plan, run
from graphaudit._target.factory import Input

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight

COUNTER = 0
ITEMS: list[int] = [1]
TABLE: dict[str, int] = {"a": 1}
COUNTED: Counter[str] = Counter()
TENSOR = torch.zeros(1)


class Slotted:
    """Has no dictionary of attributes."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        """Start with 1."""
        self.value = 1


class State:
    """Changed by the traced function, by a callee, and by both."""

    def __init__(self) -> None:
        """Start with nothing done."""
        self.traced = 0
        self.opaque = 0
        self.both: list[int] = []


@torch.compiler.disable
def opaque(state: State) -> None:
    """Write where the trace cannot look."""
    state.opaque = 5
    state.both.append(2)
    ITEMS.append(3)
    TABLE["b"] = 2


def changes(x: torch.Tensor, state: State, slotted: Slotted) -> torch.Tensor:
    """Write in the trace and below it."""
    global COUNTER
    COUNTER += 1
    state.traced += 1
    state.both.append(1)
    slotted.value = 2
    ITEMS.append(2)
    TABLE.pop("a", None)
    opaque(state)
    return x + len(state.both) + slotted.value


def test_objects(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Attributes, slots, lists, dictionaries and global variables."""
    state, slotted = State(), Slotted()

    assert see(changes, ones, state, slotted).stopped_at is None

    assert vars(state) == {"traced": 0, "opaque": 0, "both": []}
    assert slotted.value == 1
    assert (COUNTER, ITEMS, TABLE) == (0, [1], {"a": 1})


def test_tensors(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """An input that is written, buffers, parameters and their gradients."""
    norm = torch.nn.BatchNorm1d(3)
    before = {name: value.clone() for name, value in norm.state_dict().items()}

    def trains(x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        loss = norm(x.expand(4, 3) * torch.arange(4.0)[:, None]).square().sum()
        if loss > 0:
            loss.backward()
        return x

    assert see(trains, ones).stopped_at is None

    assert torch.equal(ones, torch.ones(3))
    assert all(torch.equal(value, before[name]) for name, value in norm.state_dict().items())
    assert norm.weight.grad is None


@torch.compiler.disable
def counts() -> float:
    """Write to globals, one of which the trace has written to."""
    global COUNTER
    COUNTER += 1
    COUNTED["a"] += 1
    TENSOR.add_(1)
    return COUNTER + TENSOR.item()


def test_written_by_the_trace_and_by_a_callee(
    see: Callable[..., Sight], ones: torch.Tensor
) -> None:
    """The first to write leaves the content from before."""
    seen = []

    def both(x: torch.Tensor) -> torch.Tensor:
        global COUNTER
        COUNTER += 1
        COUNTED["b"] += 1
        TENSOR.add_(1)
        seen.append(counts())
        return x

    assert see(both, ones).stopped_at is None

    assert (COUNTER, COUNTED, TENSOR.item(), seen) == (0, Counter(), 0, [])


def test_names_in_the_globals(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """What a step made is an input from the globals while the trace lasts."""

    def makes(x: torch.Tensor) -> torch.Tensor:
        made = random.SystemRandom()
        return x + made.random()

    before = set(globals())
    see(makes, ones)

    assert set(globals()) == before


def test_the_process(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Grad mode, random states, the profiler, the modules of `sys`."""

    def disturbs(x: torch.Tensor) -> torch.Tensor:
        torch.set_grad_enabled(False)
        y = x + torch.rand(3) + random.random()  # noqa: S311
        if y.sum() > 0:
            raise ValueError
        return y

    def profile(*_: Any) -> None:
        """Stay installed."""

    states = random.getstate(), torch.get_rng_state()
    sys.setprofile(profile)
    try:
        see(disturbs, ones)
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(None)
    assert torch.is_grad_enabled()
    assert random.getstate() == states[0]
    assert torch.equal(torch.get_rng_state(), states[1])


def test_a_later_compilation(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Graphs and breaks of the stock trace are the same as before."""

    def breaks(x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        torch._dynamo.graph_break()
        return x * 2

    def stock() -> tuple[int, list[str]]:
        (outcome,) = run(Plan(verdict="default"), [Input(call=breaks, args=(ones,), kwargs={})])
        return outcome.graphs, [event.stack[-1].source for event in outcome.events]

    before = stock()
    see(breaks, ones)

    assert before == (2, ["torch._dynamo.graph_break()"])
    assert stock() == before
