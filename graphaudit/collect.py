"""Collecting: events become sites, each with the line that its user can change.

Pure: records in, records out. One line and one root cause is one site, however often and in
however many frames Dynamo met it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphaudit._artefact import artefact, restates
from graphaudit._blame import blamed
from graphaudit._capture import depends_on_capture
from graphaudit._paths import portable, scrubbed
from graphaudit.model import (
    GATING_EFFECTS,
    HARM,
    Break,
    Cause,
    Coverage,
    Event,
    FullgraphVerdict,
    Location,
    StoppedAt,
    Trace,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphaudit._protocol import Places

_Placed = tuple[Event, Location, Location | None]
_Key = tuple[str, int, str, str, tuple[str, int] | None]


def collect(traces: Sequence[Trace], places: Places) -> tuple[Trace, ...]:
    """Merge the raw events of traces into sites with portable paths."""
    return tuple(_collected(_without_artefacts(trace), places) for trace in traces)


def _without_artefacts(trace: Trace) -> Trace:
    """Take out what the audit's own surroundings made fail; the entry then says so instead."""
    by_us = [_artefact(event, trace) for event in trace.events]
    told = [trace.message, *_raised(trace)]
    said = [artefact(told, simulated=_simulated(trace)), *by_us]
    why = next(filter(None, said), "")
    if not why:
        return trace
    message = f"not the fault of your code: the audit cannot go on here: {why}"
    return replace(
        trace,
        failure=trace.failure or "error",
        message=message,
        form=None,
        events=tuple(
            event
            for event, ours in zip(trace.events, by_us, strict=True)
            if not ours and not restates(_texts(event), why)
        ),
    )


def _raised(trace: Trace) -> list[str]:
    """Give what a form of a pair raised where it was to answer."""
    answers = (trace.form.answer, trace.form.compiled) if trace.form else ()
    return [answer.text for answer in answers if answer.raised]


def _artefact(event: Event, trace: Trace) -> str:
    return artefact(_texts(event), simulated=_simulated(trace))


def _texts(event: Event) -> list[str]:
    return [text for cause in event.causes for text in (cause.context, cause.explanation)]


def _simulated(trace: Trace) -> str:
    return trace.platform if trace.simulated else ""


def _collected(trace: Trace, places: Places) -> Trace:
    merged: dict[_Key, list[_Placed]] = {}
    for event in trace.events:
        clean = _portable_event(event, trace, places)
        site, library = blamed(clean.stack, clean.above)
        merged.setdefault(_key(clean, site, library), []).append((clean, site, library))
    breaks = (_merge(trace, group) for group in _joined(merged))
    return replace(
        trace,
        message=scrubbed(trace.message, places),
        notes=tuple(scrubbed(note, places) for note in trace.notes),
        fullgraph=_fullgraph(trace, places),
        fullgraph_event=None,
        events=(),
        breaks=tuple(sorted(breaks, key=_order)),
        stopped_at=_stopped_at(trace.stopped_at, places),
        coverage=_coverage(trace.coverage, places),
    )


def _joined(merged: dict[_Key, list[_Placed]]) -> list[list[_Placed]]:
    """Put what fullgraph raised with the site that the tolerant trace shows on that line.

    Where a tolerant trace breaks on a jump, fullgraph may raise a `UserError` without an id: the
    same cause in other words.
    """
    groups = list(merged.values())
    for group in [group for group in groups if _is_restated(group)]:
        site = group[0][1]
        same = [
            other
            for other in groups
            if other is not group
            and (other[0][1].path, other[0][1].line) == (site.path, site.line)
            # a recompilation on that line is another matter
            and other[0][0].effect in GATING_EFFECTS
        ]
        if same:
            # of several, the one that the pass with fullgraph's capture settings shows too
            max(same, key=_is_captured).extend(group)
            groups.remove(group)
    return groups


def _is_captured(group: list[_Placed]) -> bool:
    return any(event.capture for event, _, _ in group)


def _is_restated(group: list[_Placed]) -> bool:
    return all(
        event.effect in ("not_compiled", "recompile_limit")
        and event.verdict == "fullgraph"
        and not event.capture
        and event.causes[0].gb is None
        for event, _, _ in group
    )


def _stopped_at(stop: StoppedAt | None, places: Places) -> StoppedAt | None:
    if stop is None:
        return None
    path = portable(stop.path, places) if stop.path else ""
    return replace(stop, path=path, why=scrubbed(stop.why, places))


def _coverage(coverage: Coverage | None, places: Places) -> Coverage | None:
    if coverage is None:
        return None
    at = (replace(ops, stack=_portable_stack(ops.stack, places)) for ops in coverage.eager_at)
    return replace(coverage, eager_at=tuple(at))


def _merge(trace: Trace, group: list[_Placed]) -> Break:
    # the stock trace stays the verdict where it shows the site
    stock = [event for event, _, _ in group if event.seen_by == "trace"]
    events = stock or [event for event, _, _ in group]
    default = [event for event in events if event.verdict == "default"]
    strict = [event for event in events if event.verdict == "fullgraph"]
    shown = default or [event for event in strict if event.capture] or strict
    worst = max(shown, key=lambda event: HARM[event.effect])
    return Break(
        verdict="default" if default else "fullgraph",
        fullgraph=bool(strict) or not (trace.captured and depends_on_capture(worst.causes[0])),
        input=min(event.input for event in shown),
        warm=all(event.warm for event in shown),
        effect=worst.effect,
        causes=max(shown, key=lambda event: len(event.causes)).causes,
        site=group[0][1],
        library=group[0][2],
        count=len(shown),
        seen_by="trace" if stock else "see-through",
        confirmed=any(event.confirmed for event in events),
        secondary=all(event.secondary for event in events),
    )


def _key(event: Event, site: Location, library: Location | None) -> _Key:
    root = event.causes[0]
    below = (library.path, library.line) if library else None
    return site.path, site.line, root.gb or "", root.gb_type, below


def _order(found: Break) -> tuple[str, int, int, str, str, int]:
    root, site = found.causes[0], found.site
    below = found.library.line if found.library else 0
    return site.path, site.line, site.column or 0, root.gb or "", root.gb_type, below


def _fullgraph(trace: Trace, places: Places) -> FullgraphVerdict:
    if trace.fullgraph_event is None:
        return trace.fullgraph
    event = _portable_event(trace.fullgraph_event, trace, places)
    site, _ = blamed(event.stack, event.above)
    return replace(trace.fullgraph, path=site.path, line=site.line)


def _portable_event(event: Event, trace: Trace, places: Places) -> Event:
    return replace(
        event,
        causes=tuple(_portable_cause(cause, places) for cause in event.causes),
        stack=_portable_stack(event.stack, places) or (_entry_place(trace),),
        above=_portable_stack(event.above, places),
    )


def _entry_place(trace: Trace) -> Location:
    """Stand in for an event without any frame: the factory's own line."""
    entry = trace.entry
    return Location(
        path=entry.path,
        line=entry.line,
        end_line=entry.line,
        column=None,
        qualname=entry.name,
        source=f"def {entry.name}():",
    )


def _portable_stack(stack: Iterable[Location], places: Places) -> tuple[Location, ...]:
    return tuple(replace(place, path=portable(place.path, places)) for place in stack)


def _portable_cause(cause: Cause, places: Places) -> Cause:
    return replace(
        cause,
        context=scrubbed(cause.context, places),
        explanation=scrubbed(cause.explanation, places),
        hints=tuple(scrubbed(hint, places) for hint in cause.hints),
    )
