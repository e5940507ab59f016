"""The verdicts on one entry: fullgraph first, the default trace where that is not enough.

fullgraph stops at the first break and captures scalars and dynamic shapes, which a plain compile
does not. So an entry that gates on fullgraph is traced once more where the default trace shows a
capture break: with fullgraph's capture settings, but going on. What that pass shows counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from graphaudit._dynamo import machine
from graphaudit._dynamo.collector import losses
from graphaudit._dynamo.passes import Outcome, Plan, run
from graphaudit._target.factory import Settings, inputs_of
from graphaudit.model import EntryPoint, Event, FullgraphVerdict, Trace

Factory = Callable[[], Any]


def trace_entry(entry: EntryPoint, factory: Factory, settings: Settings) -> tuple[Trace, ...]:
    """Trace one entry point; several where its factory gives several callables.

    Raises:
        Exception: Whatever the factory raises, FactoryError included.
    """
    started = time.perf_counter()
    passes = _passes(factory, settings)
    traces = tuple(_trace(entry, settings, one) for one in passes)
    seconds = (time.perf_counter() - started) / len(traces)
    return tuple(
        replace(trace, seconds=seconds, entry=_numbered(entry, index, len(traces)))
        for index, trace in enumerate(traces)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passes:
    fullgraph: Outcome
    default: Outcome | None
    capture: Outcome | None


def _passes(factory: Factory, settings: Settings) -> list[_Passes]:
    def outcomes(plan: Plan) -> list[Outcome]:
        plan = replace(plan, options=settings.options, context=settings.context)
        with machine.prepared(fake=settings.fake):
            return run(plan, inputs_of(factory))

    fullgraph = outcomes(Plan(verdict="fullgraph"))
    default: list[Outcome] = []
    capture: list[Outcome] = []
    if settings.gate == "default" or any(one.error for one in fullgraph):
        default = outcomes(Plan(verdict="default", warm=settings.repeat))
    if settings.gate == "fullgraph" and any(map(_captures, default)):
        capture = outcomes(Plan(verdict="default", capture=True, warm=settings.repeat))
    return [
        _Passes(fullgraph=one, default=two, capture=three)
        for one, two, three in zip_longest(fullgraph, default, capture)
    ]


def _captures(outcome: Outcome) -> bool:
    """Tell whether a break would look different under fullgraph's capture settings."""
    return any(
        "capture_" in " ".join((cause.gb_type, cause.explanation, *cause.hints))
        for event in outcome.events
        for cause in event.causes
    )


def _trace(entry: EntryPoint, settings: Settings, passes: _Passes) -> Trace:
    first = passes.default or passes.fullgraph
    raised = passes.fullgraph.error
    return Trace(
        entry=entry,
        platform=machine.platform(),
        gate=settings.gate,
        failure="error" if _failed(settings, passes) else None,
        message=_message(settings, passes),
        fullgraph=_verdict(raised),
        fullgraph_event=raised,
        captured=passes.capture is not None,
        fake=settings.fake,
        graphs=first.graphs,
        events=_events(settings, passes),
        losses=losses(),
    )


def _failed(settings: Settings, passes: _Passes) -> bool:
    if passes.fullgraph.stopped:
        return True
    if passes.default and passes.default.error:
        return passes.default.error.effect == "error"
    raised = passes.fullgraph.error
    return settings.gate == "fullgraph" and raised is not None and raised.effect == "error"


def _message(settings: Settings, passes: _Passes) -> str:
    if passes.default and passes.default.message:
        return passes.default.message
    if passes.fullgraph.stopped:
        return passes.fullgraph.stopped
    return passes.fullgraph.message if _failed(settings, passes) else ""


def _events(settings: Settings, passes: _Passes) -> tuple[Event, ...]:
    found: list[Event] = []
    for outcome in (passes.default, passes.capture):
        if outcome:
            found += outcome.events
            found += [outcome.error] if outcome.error else []
    if settings.gate == "fullgraph" and passes.fullgraph.error:
        found.append(passes.fullgraph.error)
    return tuple(found)


def _verdict(raised: Event | None) -> FullgraphVerdict:
    if raised is None:
        return FullgraphVerdict(ok=True)
    root = raised.causes[0]
    return FullgraphVerdict(ok=False, gb=root.gb, gb_type=root.gb_type)


def _numbered(entry: EntryPoint, index: int, total: int) -> EntryPoint:
    return entry if total == 1 else replace(entry, id=f"{entry.id}[{index}]")
