"""The door: entries of every kind, the order of sites, and honest stops."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.checkpoint import checkpoint

from graphaudit._dynamo.see_through.record import preferred

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.sight import Sight


def key(value: int) -> int:
    """Break where only a callee in C comes by."""
    time.sleep(0)
    return value


opaque_sorted = torch.compiler.disable(sorted, recursive=False)


def generator(x: torch.Tensor) -> Iterator[torch.Tensor]:
    """Break between items and behind them."""
    yield x
    time.sleep(0)
    yield x + 1
    torch._dynamo.graph_break()


def test_clean(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Nothing, and complete."""
    sight = see(lambda x: x.sin() + 1, ones)

    assert (sight.sites, sight.errors, sight.stopped_at) == ((), (), None)


def test_fields(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Causes as Dynamo gives them, the whole stack of traced frames."""

    def outer(x: torch.Tensor) -> torch.Tensor:
        return generator_free(x) + 1

    def generator_free(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return x

    (site,) = see(outer, ones).sites

    assert [place.source for place in site.stack] == [
        "return generator_free(x) + 1",
        "torch._dynamo.graph_break()",
    ]
    (cause,) = site.causes
    assert cause.gb == "GB0025"
    assert cause.gb_type == "Call to `torch._dynamo.graph_break()`"
    assert cause.context == "Called `torch._dynamo.graph_break()` with args `[]`, kwargs `{}`"
    assert cause.hints
    assert not site.below


def test_a_place_is_one_site(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """However often it is met."""

    def loops(x: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            torch._dynamo.graph_break()
        return x

    assert sites(loops, ones) == ["torch._dynamo.graph_break()"]


def test_frames_below_a_step(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """In order of execution; the stack above them leads to the entry."""

    def sorts(x: torch.Tensor) -> torch.Tensor:
        items = opaque_sorted([2, 1], key=key)
        torch._dynamo.graph_break()
        return x + items[0]

    sight = see(sorts, ones)

    assert [(preferred(site.stack).source, site.below) for site in sight.sites] == [
        ("items = opaque_sorted([2, 1], key=key)", False),
        ("time.sleep(0)", True),
        ("torch._dynamo.graph_break()", False),
    ]
    assert sight.sites[1].above[0].source.startswith("items = ")


def test_generator_as_entry(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """It is drained."""
    assert sites(generator, ones) == ["time.sleep(0)", "torch._dynamo.graph_break()"]


def test_endless_generator(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """It is left, and not called complete."""

    def endless(x: torch.Tensor) -> Iterator[torch.Tensor]:
        while True:
            yield x

    sight = see(endless, ones)

    assert sight.stopped_at is not None
    assert "more than 64 items" in sight.stopped_at.why


def test_coroutine(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Only awaiting would run it."""

    async def waits(x: torch.Tensor) -> torch.Tensor:
        return x

    sight = see(waits, ones)

    assert sight.stopped_at is not None
    assert sight.stopped_at.why == "a coroutine is not traced"


def test_module(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """With a hook."""

    class Model(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            time.sleep(0)
            return x

    def hook(*_: Any) -> None:
        torch._dynamo.graph_break()

    model = Model()
    model.register_forward_hook(hook)

    assert sites(model, ones) == ["time.sleep(0)", "torch._dynamo.graph_break()"]


def test_exception_of_the_user(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Behind it nothing can be seen."""

    def fails(x: torch.Tensor) -> torch.Tensor:
        time.sleep(0)
        raise LookupError(x.shape)

    sight = see(fails, ones)

    assert sight.stopped_at is not None
    assert "LookupError" in sight.stopped_at.why
    assert preferred(sight.sites[0].stack).source == "time.sleep(0)"


def test_nothing_to_trace(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Compilation is switched off around the call."""
    with torch.compiler.set_stance("force_eager"):
        sight = see(generator, ones)

    assert sight.stopped_at is not None
    assert sight.stopped_at.why == "Dynamo traced no frame of this call"


def test_fake_inputs(see: Callable[..., Sight]) -> None:
    """Ones stand in for values."""

    def branches(x: torch.Tensor) -> torch.Tensor:
        number = x.sum().item()
        if number == 1:
            torch._dynamo.graph_break()
        return x

    with FakeTensorMode(allow_non_fake_inputs=True):
        sight = see(branches, torch.zeros(3))

    assert sight.stopped_at is None
    assert [preferred(site.stack).source for site in sight.sites] == [
        "number = x.sum().item()",
        "torch._dynamo.graph_break()",
    ]


def test_higher_order_bodies(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """The trace goes on inside."""

    def maps(x: torch.Tensor) -> torch.Tensor:
        def body(row: torch.Tensor) -> torch.Tensor:
            time.sleep(0)
            return row * 2

        y = torch.vmap(body)(x)
        torch._dynamo.graph_break()
        return y

    assert sites(maps, ones) == ["time.sleep(0)", "torch._dynamo.graph_break()"]


def test_a_checkpoint_that_is_given_up(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """Its body writes to an object from outside: the whole call is done for real."""

    class Counter:
        count = 0

    counter = Counter()

    def body(x: torch.Tensor) -> torch.Tensor:
        counter.count += 1
        return x.sin()

    def counts(x: torch.Tensor) -> torch.Tensor:
        x = checkpoint(body, x, use_reentrant=False)
        time.sleep(0)
        return x + counter.count

    assert sites(counts, ones) == [
        "x = checkpoint(body, x, use_reentrant=False)",
        "time.sleep(0)",
    ]
    assert vars(counter) == {}
