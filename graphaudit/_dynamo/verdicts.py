"""The verdicts on one entry: fullgraph first, the default trace where that is not enough.

fullgraph stops at the first break and captures scalars and dynamic shapes, which a plain compile
does not. So an entry that gates on fullgraph is traced once more where the default trace shows a
capture break: with fullgraph's capture settings, but going on. What that pass shows counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from graphaudit._capture import depends_on_capture
from graphaudit._dynamo import collector, hooks, machine, skips, torch_state, watched
from graphaudit._dynamo.coverage import recorder
from graphaudit._dynamo.coverage.measure import coverage_of
from graphaudit._dynamo.passes import Outcome, Plan, run
from graphaudit._dynamo.see_through import patches
from graphaudit._dynamo.watch import Watch
from graphaudit._target.attributes import FactoryError
from graphaudit._target.factory import Settings, inputs_of
from graphaudit.model import (
    GATING_EFFECTS,
    Coverage,
    EntryPoint,
    Event,
    FullgraphVerdict,
    Gate,
    Trace,
)

Factory = Callable[[], Any]

_HOOKS: Final = (
    *collector.HOOKS,
    *watched.HOOKS,
    *skips.HOOKS,
    *recorder.HOOKS,
    *torch_state.HOOKS,
)


def trace_entry(
    entry: EntryPoint,
    factory: Factory,
    settings: Settings,
    seen: Watch | None = None,
    *,
    measure: bool = True,
) -> tuple[Trace, ...]:
    """Trace one entry point; several where its factory gives several callables.

    Args:
        entry: What is traced.
        factory: Its function.
        settings: The function's attributes.
        seen: Sees what Dynamo says nothing about.
        measure: Count operators, and find what is left to eager without a word.

    Raises:
        Exception: Whatever the factory raises, FactoryError included.
    """
    *_, (traces, _) = in_turn(entry, factory, settings, seen or Watch(), measure=measure)
    return traces


def in_turn(
    entry: EntryPoint, factory: Factory, settings: Settings, seen: Watch, *, measure: bool
) -> Iterator[tuple[tuple[Trace, ...], bool]]:
    """Do the same; where fullgraph alone does not tell, give first what it showed.

    Yields:
        Traces, and whether they are all that there is to know.
    """
    started = time.perf_counter()
    for passes, is_all in _passes(factory, settings, seen, measure=measure):
        traces = tuple(_trace(entry, settings, one) for one in passes)
        seconds = (time.perf_counter() - started) / len(traces)
        numbered = tuple(
            replace(trace, seconds=seconds, entry=_numbered(entry, index, len(traces)))
            for index, trace in enumerate(traces)
        )
        yield numbered, is_all


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passes:
    fullgraph: Outcome
    default: Outcome | None = None
    capture: Outcome | None = None


def _passes(
    factory: Factory, settings: Settings, seen: Watch, *, measure: bool
) -> Iterator[tuple[list[_Passes], bool]]:
    def outcomes(plan: Plan) -> list[Outcome]:
        plan = replace(plan, options=settings.options, context=settings.context, fake=settings.fake)
        with machine.prepared(fake=settings.fake), seen.installed():
            return run(plan, seen.following(inputs_of(factory)))

    strict = settings.gate == "fullgraph"
    fullgraph = outcomes(Plan(verdict="fullgraph", measure=measure and strict))
    if strict and all(map(_says_enough, fullgraph)):
        yield [_Passes(fullgraph=one) for one in fullgraph], True
        return
    yield [_Passes(fullgraph=one) for one in fullgraph], False
    default = outcomes(Plan(verdict="default", warm=settings.repeat, measure=measure))
    capture: Sequence[Outcome | None] = [None] * len(fullgraph)
    if strict and any(map(_captures, default)):
        capture = outcomes(Plan(verdict="default", capture=True, warm=settings.repeat))
    if not len(fullgraph) == len(default) == len(capture):
        raise FactoryError(
            f"it gave {len(fullgraph)} callables, then {len(default)}, then {len(capture)}: "
            "a factory is called several times and must give the same each time"
        )
    yield (
        [
            _Passes(fullgraph=one, default=two, capture=three)
            for one, two, three in zip(fullgraph, default, capture, strict=True)
        ],
        True,
    )


def _says_enough(fullgraph: Outcome) -> bool:
    """Tell whether the fullgraph pass alone shows that nothing breaks.

    A callable that is compiled already breaks by its own settings, without an error here; and no
    graph at all is no proof of anything.
    """
    breaks = any(event.effect in GATING_EFFECTS for event in fullgraph.events)
    return fullgraph.error is None and not breaks and fullgraph.graphs > 0


def _captures(outcome: Outcome) -> bool:
    """Tell whether a break would look different under fullgraph's capture settings."""
    return any(depends_on_capture(event.causes[0]) for event in outcome.events)


def _trace(entry: EntryPoint, settings: Settings, passes: _Passes) -> Trace:
    first = passes.default or passes.fullgraph
    failed, message = _failed(passes), _message(passes)
    return Trace(
        entry=entry,
        platform=machine.platform(),
        gate=settings.gate,
        failure="error" if failed else None,
        message=f"{entry.name}: {message}" if failed else message,
        fullgraph=_verdict(passes.fullgraph),
        fullgraph_event=passes.fullgraph.error,
        captured=passes.capture is not None,
        fake=settings.fake,
        simulated=machine.is_fake(),
        inputs=max(one.inputs for one in _ran(passes)),
        graphs=first.graphs,
        coverage=_coverage(first),
        events=_events(settings, passes),
        losses=(
            *hooks.losses(_HOOKS),
            *patches.losses(),
        ),
    )


def _coverage(outcome: Outcome) -> Coverage | None:
    """Count the operators of the first input."""
    first = next((one for one in outcome.measured if one.input == 0), None)
    return coverage_of(first.operators, complete=first.complete) if first else None


def _ran(passes: _Passes) -> list[Outcome]:
    return [one for one in (passes.default, passes.capture, passes.fullgraph) if one]


def _failed(passes: _Passes) -> bool:
    """Tell whether the entry could not be traced: a plain compile raises as well."""
    raised = passes.default.error if passes.default else None
    return any(one.stopped for one in _ran(passes)) or (
        raised is not None and raised.effect == "error"
    )


def _message(passes: _Passes) -> str:
    """Say what went wrong in the pass that counts; where nothing did, that nothing happened."""
    told = [one.stopped for one in _ran(passes)]
    if passes.default:
        told.insert(0, passes.default.message)
    if _failed(passes):
        told.append(passes.fullgraph.message)
    last = passes.default or passes.fullgraph
    if not last.graphs and not any(one.events or one.error for one in _ran(passes)):
        told.append(_no_graph(last))
    return next(filter(None, told), "")


def _no_graph(outcome: Outcome) -> str:
    """Say that nothing was compiled, and why where that is known."""
    said = "no graph was made"
    if outcome.frames.stance:
        return f"{said}: the stance is {outcome.frames.stance}"
    idle = outcome.measured and not any(one.operators for one in outcome.measured)
    return f"{said}: no operator ran" if idle else said


def _events(settings: Settings, passes: _Passes) -> tuple[Event, ...]:
    found: list[Event] = []
    for outcome in (passes.default, passes.capture):
        if outcome:
            found += [*outcome.events, *([outcome.error] if outcome.error else [])]
    if passes.default is None:
        found += passes.fullgraph.events
    raised = passes.fullgraph.error
    if raised and settings.gate == "fullgraph":
        # what a plain compile gets through is no error of the program
        only = raised.effect == "error" and passes.default and not passes.default.error
        found.append(replace(raised, effect="not_compiled") if only else raised)
    elif raised and passes.default and _is_silent(passes.default, raised.input):
        # a generator, a dispatch mode: a plain compile leaves it to eager without a word
        found.append(replace(raised, verdict="default", effect="not_compiled"))
    return (*found, *_left_to_eager(passes.default or passes.fullgraph, settings.gate, found))


def _left_to_eager(outcome: Outcome, gate: Gate, told: Sequence[Event]) -> Iterator[Event]:
    """Find functions that no event accounts for, each once."""
    found: list[Event] = []
    for one in outcome.measured:
        found += skips.left_to_eager(
            one.operators, outcome.frames, [*told, *found], verdict=gate, input=one.input
        )
    yield from found


def _is_silent(default: Outcome, index: int) -> bool:
    """Tell whether a plain compile showed nothing of an input and made no graph for it."""
    shown = any(event.input == index for event in default.events)
    return not shown and not default.error and default.graphs_of[index : index + 1] == [0]


def _verdict(outcome: Outcome) -> FullgraphVerdict:
    if outcome.error is None:
        return FullgraphVerdict(ok=not outcome.stopped)
    root = outcome.error.causes[0]
    return FullgraphVerdict(ok=False, gb=root.gb, gb_type=root.gb_type)


def _numbered(entry: EntryPoint, index: int, total: int) -> EntryPoint:
    return entry if total == 1 else replace(entry, id=f"{entry.id}[{index}]")
