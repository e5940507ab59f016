"""Bodies of higher-order operators: traced to their end, or given up and then done for real."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from graphaudit._dynamo.see_through.record import preferred

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight

CACHE: list[int] = []


class Holder:
    """A user's object."""

    number = 0


HOLDER = Holder()


def lines(sight: Sight) -> list[str]:
    """Give the lines of the sites, in order."""
    return [preferred(site.stack).source for site in sight.sites]


class Doubled(torch.autograd.Function):
    """Breaks in both directions."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Break, then keep the argument."""
        time.sleep(0)
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        """Break, then use what was kept."""
        (x,) = ctx.saved_tensors
        time.monotonic()
        return grad * x


class GivenUp(torch.autograd.Function):
    """Writes to objects; what it keeps for backward is then barred from being used there."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Break, write to both."""
        time.sleep(0)
        y = x * 2
        CACHE.append(1)
        HOLDER.number = HOLDER.number + 1
        ctx.save_for_backward(x.detach())
        return y

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        """Break where the trace has no real tensor to go on with."""
        (x,) = ctx.saved_tensors
        x.requires_grad = True
        return grad * x


@pytest.fixture
def weights() -> torch.Tensor:
    """Three ones with a gradient."""
    CACHE.clear()
    return torch.ones(3, requires_grad=True)


def test_both_directions(sites: Callable[..., list[str]], weights: torch.Tensor) -> None:
    """Backward is traced with the forward that it belongs to."""

    def calls(x: torch.Tensor) -> torch.Tensor:
        y = Doubled.apply(x)
        torch._dynamo.graph_break()
        return y + 1

    assert sites(calls, weights) == [
        "time.sleep(0)",
        "time.monotonic()",
        "torch._dynamo.graph_break()",
    ]


def test_checkpoint(sites: Callable[..., list[str]], weights: torch.Tensor) -> None:
    """Each break of the body, and behind it."""

    def body(x: torch.Tensor) -> torch.Tensor:
        time.sleep(0)
        y = x.sin()
        time.monotonic()
        return y * 2

    def calls(x: torch.Tensor) -> torch.Tensor:
        y = checkpoint(body, x, use_reentrant=False)
        torch._dynamo.graph_break()
        return y + 1

    assert sites(calls, weights) == [
        "time.sleep(0)",
        "time.monotonic()",
        "torch._dynamo.graph_break()",
    ]


def test_state_of_a_body_that_is_given_up(see: Callable[..., Sight], weights: torch.Tensor) -> None:
    """It is as before when the call is done for real: what the body wrote is there once."""

    def calls(x: torch.Tensor) -> torch.Tensor:
        y = GivenUp.apply(x)
        if len(CACHE) == 1:
            torch._dynamo.graph_break()
        if HOLDER.number == 1:
            time.process_time()
        return y + 1

    sight = see(calls, weights)

    assert lines(sight) == [
        "time.sleep(0)",
        "x.requires_grad = True",
        "torch._dynamo.graph_break()",
        "time.process_time()",
    ]
    assert CACHE == []
    assert vars(HOLDER) == {}


def test_a_backward_that_is_given_up(see: Callable[..., Sight], weights: torch.Tensor) -> None:
    """It does not run in the call: the rest of it stays unknown, and that is said."""
    sight = see(lambda x: GivenUp.apply(x), weights)

    assert sight.stopped_at is not None
    assert "higher-order operator" in sight.stopped_at.why
    assert sight.stopped_at.line == preferred(sight.sites[-1].stack).line


def test_a_body_that_fails_at_its_end(see: Callable[..., Sight], weights: torch.Tensor) -> None:
    """Its breaks are known; what it wrote is there once."""
    seen: list[int] = []

    def body(x: torch.Tensor) -> Any:
        time.sleep(0)
        seen.append(1)
        return {1, 2}, x

    def calls(x: torch.Tensor) -> torch.Tensor:
        _, y = checkpoint(body, x, use_reentrant=False)
        if len(seen) == 1:
            torch._dynamo.graph_break()
        return y

    assert "torch._dynamo.graph_break()" in lines(see(calls, weights))
