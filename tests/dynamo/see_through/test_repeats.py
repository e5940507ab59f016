"""Effects of steps that a larger step does again: at most once more than a plain call has them."""

# ruff: noqa: T201 - what is printed is counted
from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.checkpoint import checkpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from graphaudit._dynamo.see_through.sight import Sight


def endless() -> Any:
    """Give more items than are taken ahead of a step."""
    yield from range(1000)


@torch.compiler.disable
def takes(items: Any) -> Any:
    """Take one item."""
    return next(items)


def counts(capsys: pytest.CaptureFixture[str], *words: str) -> list[int]:
    """Count the lines that were printed."""
    said = capsys.readouterr().out.splitlines()
    return [said.count(word) for word in words]


class Half(torch.autograd.Function):
    """Its forward is traced to the end, its backward given up."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Break."""
        print("forward")
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(_ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        """Break where the trace cannot go on."""
        print("backward")
        takes(endless())
        print("behind")
        return grad


def test_a_frame_that_is_called_for_real(
    ones: torch.Tensor, see: Callable[..., Sight], capsys: pytest.CaptureFixture[str]
) -> None:
    """What it did before it failed is done once more, and not in a trace of its own besides."""

    def helper(x: torch.Tensor) -> torch.Tensor:
        print("helper")
        takes(endless())
        time.sleep(0)
        return x + 1

    sight = see(lambda x: helper(x) * 2, ones)

    assert counts(capsys, "helper") == [2]
    assert sight.errors == ()
    assert sight.stopped_at is not None  # the sleep is not seen


def through(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate, as a library does: all that is decorated runs in one code."""

    def wrapper(*args: Any) -> Any:
        return function(*args)

    return wrapper


def test_a_frame_that_shares_a_decorator_with_one_that_is_repeated(
    ones: torch.Tensor, see: Callable[..., Sight], capsys: pytest.CaptureFixture[str]
) -> None:
    """It ran once: its breaks are seen, and it runs no more than once more."""

    @through
    def inner(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    def later(x: torch.Tensor) -> torch.Tensor:
        print("later")
        return inner(x)

    @through
    def helper(x: torch.Tensor) -> torch.Tensor:
        print("helper")
        takes(endless())
        return later(x)

    sight = see(lambda x: helper(x) * 2, ones)

    assert counts(capsys, "helper", "later") == [2, 2]
    assert 'print("later")' in [site.stack[-1].source for site in sight.sites]


def test_each_frame_further_out(
    ones: torch.Tensor, see: Callable[..., Sight], capsys: pytest.CaptureFixture[str]
) -> None:
    """A call that did run, and whose result cannot be taken in, is not tried again and again."""

    def leaf(x: torch.Tensor, items: Any) -> torch.Tensor:
        print("leaf")
        takes(items)
        return x

    def middle(x: torch.Tensor, items: Any) -> torch.Tensor:
        print("middle")
        return leaf(x, items)

    def outer(x: torch.Tensor) -> torch.Tensor:
        print("outer")
        return middle(x, endless())

    sight = see(lambda x: outer(x) + 1, ones)

    assert max(counts(capsys, "leaf", "middle", "outer")) == 2
    assert sight.errors == ()
    assert sight.stopped_at is not None


def test_a_body_that_is_half_traced(
    see: Callable[..., Sight], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its forward has been traced: it is not traced once more."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        y = Half.apply(x)
        time.sleep(0)
        return y

    sight = see(entry, torch.ones(3, requires_grad=True))

    assert counts(capsys, "forward", "backward", "behind") == [2, 1, 0]
    assert [site.stack[-1].source for site in sight.sites] == [
        'print("forward")',
        'print("backward")',
        "takes(endless())",
        "time.sleep(0)",
    ]
    assert sight.stopped_at is not None


def test_bodies_in_bodies(see: Callable[..., Sight], capsys: pytest.CaptureFixture[str]) -> None:
    """Each that is given up is left out of the next pass, as long as nothing happens thrice."""

    def inner(x: torch.Tensor) -> torch.Tensor:
        print("inner")
        takes(endless())
        return x.sin()

    def outer(x: torch.Tensor) -> torch.Tensor:
        print("outer")
        return checkpoint(inner, x, use_reentrant=False) * 2

    def entry(x: torch.Tensor) -> torch.Tensor:
        print("entry")
        return checkpoint(outer, x, use_reentrant=False) + 1

    sight = see(entry, torch.ones(3, requires_grad=True))

    assert max(counts(capsys, "entry", "outer", "inner")) == 2
    assert sight.errors == ()
    assert sight.stopped_at is not None


def test_library_frames_around_a_body(
    ones: torch.Tensor, see: Callable[..., Sight], capsys: pytest.CaptureFixture[str]
) -> None:
    """What calls the body again below the real call is not traced either, and shows nothing."""

    def chosen(v: torch.Tensor) -> Any:
        print("chosen")
        return [v + 1, {1, 2}]

    sight = see(lambda x: torch.cond(x.sum() > 0, chosen, torch.sin, (x,)), ones)

    assert counts(capsys, "chosen")[0] <= 2
    assert [site.stack[-1].source for site in sight.sites] == ['print("chosen")']
