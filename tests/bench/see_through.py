"""What it costs to see every break at once, and to prove each: functions with masked breaks.

The floor is stock Dynamo's fullgraph trace of the same functions with their breaks mended.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Final

from graphaudit._dynamo import machine
from graphaudit._dynamo.passes import Plan, run
from graphaudit._dynamo.see_through.proof import proof_of
from graphaudit._dynamo.see_through.tracing import see_through
from tests.bench.row import Row
from tests.scoring.masked.files import FOLDER, MaskedFile
from tests.scoring.masked.views import quiet

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight
    from graphaudit._target.factory import Input

_RUNS: Final = 5
_SUBJECTS: Final = MaskedFile(FOLDER / "subjects.py")


def rows() -> list[Row]:
    """Measure the sums over all functions, in runs that take turns."""
    floors, seen, proved = [], [], []
    for _ in range(_RUNS + 1):
        floors.append(_sum(_clean))
        seen.append(_sum(_see))
        proved.append(_sum(_prove))
    floor = statistics.median(floors[1:])
    functions, sites = len(_SUBJECTS.names), len(_SUBJECTS.marks)
    return [
        Row(
            what=f"see-through of {functions} functions, {sites} breaks",
            floor="stock fullgraph trace, breaks mended",
            ratio=statistics.median(seen[1:]) / floor,
            limit=1.3,
        ),
        Row(
            what=f"proof of all {sites} breaks, one by one",
            floor="stock fullgraph trace, breaks mended",
            ratio=statistics.median(proved[1:]) / floor,
        ),
    ]


def _sum(measure: Callable[[str], float]) -> float:
    with quiet():
        return sum(map(measure, _SUBJECTS.names))


def _clean(name: str) -> float:
    given = _SUBJECTS.call(name, _SUBJECTS.marks)
    return _seconds(lambda: run(Plan(verdict="fullgraph"), [given]))


def _see(name: str) -> float:
    given = _SUBJECTS.call(name)
    return _seconds(lambda: _sight(given))


def _prove(name: str) -> float:
    sites = _sight(_SUBJECTS.call(name)).sites
    given = [(site, _SUBJECTS.call(name)) for site in sites]
    return _seconds(
        lambda: [
            proof_of(site, item.call, item.args, item.kwargs, options={}) for site, item in given
        ]
    )


def _sight(given: Input) -> Sight:
    return see_through(given.call, given.args, given.kwargs, fullgraph=False, options={})


def _seconds(call: Callable[[], object]) -> float:
    with machine.prepared(fake=False):
        started = time.perf_counter()
        call()
        return time.perf_counter() - started
