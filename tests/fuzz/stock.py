"""Stock Dynamo on a program, as a scan would show it."""

from __future__ import annotations

import os
import sysconfig
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import torch
from torch._dynamo import guards

from graphaudit._blame import blamed
from graphaudit._dynamo.passes import Plan, run
from graphaudit._paths import portable
from graphaudit._protocol import Places
from graphaudit._target.factory import Input
from graphaudit.model import GATING_EFFECTS
from tests.fuzz.program import argument, load, quiet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphaudit.model import Event, Gate, Location

ELSEWHERE: Final = -1
# what `probe` gives where nothing has been traced before
PROBED: Final = (4, ["torch._dynamo.graph_break()"] * 2)
_TORCH: Final = str(Path(torch.__file__).parent)
_STDLIB: Final = os.path.realpath(sysconfig.get_path("stdlib"))


@dataclass(frozen=True, slots=True)
class Line:
    """An event: its line in the program, and Dynamo's id."""

    line: int
    gb: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What one pass shows."""

    events: tuple[Line, ...]
    error: Line | None
    message: str


def trace(path: Path, verdict: Gate) -> Shown:
    """Trace a program once."""
    call = load(path).entry
    with quiet(), _unmeasured():
        (outcome,) = run(Plan(verdict=verdict), [Input(call=call, args=(argument(),), kwargs={})])
    return Shown(
        events=tuple(
            _line(event, path) for event in outcome.events if event.effect in GATING_EFFECTS
        ),
        error=outcome.error and _line(outcome.error, path),
        message=outcome.message,
    )


def probe() -> tuple[int, list[str]]:
    """Give graphs and breaks of a function that breaks in a callee."""
    with _unmeasured():
        (outcome,) = run(
            Plan(verdict="default"), [Input(call=_outer, args=(argument(),), kwargs={})]
        )
    breaks = [event for event in outcome.events if event.effect in GATING_EFFECTS]
    return outcome.graphs, [event.stack[-1].source for event in breaks]


@contextmanager
def _unmeasured() -> Iterator[None]:
    """Leave out the time that guards take: Dynamo empties the processor's caches to log it."""
    with patch.object(guards, "profile_guard_manager", lambda *_: 0.0):
        yield


def _outer(x: torch.Tensor) -> torch.Tensor:
    return _inner(x.sin()) + 1


def _inner(x: torch.Tensor) -> torch.Tensor:
    x = x * 2
    torch._dynamo.graph_break()
    return x.cos()


def _line(event: Event, path: Path) -> Line:
    places = Places(root=str(path.parent), torch=_TORCH, stdlib=(_STDLIB,))

    def made_portable(stack: tuple[Location, ...]) -> tuple[Location, ...]:
        return tuple(replace(place, path=portable(place.path, places)) for place in stack)

    place, _ = blamed(made_portable(event.stack), made_portable(event.above))
    cause = event.causes[0]
    return Line(
        place.line if place.path == path.name else ELSEWHERE,
        cause.gb or cause.gb_type,
        f"{cause.gb_type}: {cause.explanation}",
    )
