"""What coverage adds to the default trace of the same calls: clean ones, broken ones, a model."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any, Final

import torch

from graphaudit._dynamo import machine
from graphaudit._dynamo.passes import Plan, run
from graphaudit._target.factory import Input
from tests.bench.row import Row
from tests.dynamo.meter import Meter

if TYPE_CHECKING:
    from collections.abc import Callable

_RUNS: Final = 5
_PLAN: Final = Plan(verdict="default", warm=True)


class Block(torch.nn.Module):
    """A layer of two matrix products; one that breaks calls something disabled."""

    def __init__(self, *, breaks: bool) -> None:
        """Make the parameters."""
        super().__init__()
        self.a, self.b = torch.nn.Linear(16, 64), torch.nn.Linear(64, 16)
        self.breaks = breaks

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Give an output of the shape of the input."""
        y = self.b(torch.relu(self.a(x)))
        return x + (_aside(y) if self.breaks else y)


@torch.compiler.disable
def _aside(x: torch.Tensor) -> torch.Tensor:
    return (x * 2).tanh()


def rows() -> list[Row]:
    """Measure a pass of its own, and the warm call alone."""
    found = []
    for name, breaks in (("clean", False), ("broken", True)):
        item = Input(call=_model(breaks=breaks), args=(torch.ones(4, 16),), kwargs={})
        found += [
            Row(
                what=f"coverage of a {name} model, compiled anew",
                floor="its default trace",
                ratio=_ratio(lambda item=item: _measure(item), lambda item=item: _trace(item)),
            ),
            _warm(name, item),
        ]
    return found


def _model(*, breaks: bool) -> torch.nn.Module:
    return torch.nn.Sequential(*(Block(breaks=breaks) for _ in range(8)))


def _measure(item: Input) -> None:
    with machine.prepared(fake=False):
        Meter(_PLAN, item.call).measure(item)


def _trace(item: Input) -> None:
    with machine.prepared(fake=False):
        run(_PLAN, [item])


def _warm(name: str, item: Input) -> Row:
    meter = Meter(Plan(verdict="default"), item.call)
    plain = torch.compile(item.call, backend="eager")
    meter.measure(item)
    plain(*item.args)
    return Row(
        what=f"coverage of a warm call of a {name} model",
        floor="the call",
        ratio=_ratio(lambda: meter.measure(item), lambda: plain(*item.args)),
    )


def _ratio(what: Callable[[], Any], floor: Callable[[], Any]) -> float:
    """Compare medians of runs that take turns."""
    seconds = [(_seconds(what), _seconds(floor)) for _ in range(_RUNS + 1)][1:]
    measured, least = (statistics.median(column) for column in zip(*seconds, strict=True))
    return measured / least


def _seconds(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started
