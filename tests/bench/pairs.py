"""What it costs to compare the pairs of `probes/`: answers, changes, times of eager calls.

The floor is one stock fullgraph trace of each form, or what Dynamo takes to refuse it.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any, Final

import torch

from graphaudit._dynamo import machine
from graphaudit._dynamo.pair import pair_traces
from graphaudit._dynamo.passes import Plan, run
from graphaudit._target.factory import Input
from graphaudit._target.pair import pair_of, pair_settings_of
from graphaudit.model import EntryPoint
from probes import compare
from tests.bench.row import Row
from tests.scoring.masked.views import quiet

if TYPE_CHECKING:
    from collections.abc import Callable

_RUNS: Final = 3
_PAIRS: Final = {
    name: factory for name, factory in vars(compare).items() if name.startswith("compare_")
}


def rows() -> list[Row]:
    """Measure the sums over all pairs, in runs that take turns."""
    floors, compared = [], []
    for _ in range(_RUNS + 1):
        floors.append(_sum(_traced))
        compared.append(_sum(_compared))
    changes = sum(len(pair_settings_of(factory).changes) for factory in _PAIRS.values())
    return [
        Row(
            what=f"{len(_PAIRS)} pairs compared, with {changes} changes",
            floor="stock fullgraph trace of both forms",
            ratio=statistics.median(compared[1:]) / statistics.median(floors[1:]),
        )
    ]


def _sum(measure: Callable[[str, Callable[[], Any]], object]) -> float:
    started = time.perf_counter()
    with quiet():
        for name, factory in _PAIRS.items():
            measure(name, factory)
    return time.perf_counter() - started


def _traced(_: str, factory: Callable[[], Any]) -> None:
    pair = pair_of(factory)
    for form in (pair.eager, pair.safe):
        with machine.prepared(fake=False):
            run(Plan(verdict="fullgraph"), [_input(form)])


def _input(form: Callable[..., Any]) -> Input:
    def call() -> Any:
        return form(), torch.ones(())

    return Input(call=call, args=(), kwargs={})


def _compared(name: str, factory: Callable[[], Any]) -> None:
    entry = EntryPoint(id=name, path="probes/compare.py", line=1, name=name)
    pair_traces(entry, factory, pair_settings_of(factory))
