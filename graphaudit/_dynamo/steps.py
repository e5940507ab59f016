"""All that is asked of one entry, step by step: what is known stands before each further step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphaudit._dynamo.hidden import Search
from graphaudit._dynamo.silent import Silent
from graphaudit._dynamo.verdicts import in_turn
from graphaudit._target.words import described

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._protocol import Step
    from graphaudit._target.factory import Settings
    from graphaudit.model import Depth, EntryPoint, Trace


def steps(
    entry: EntryPoint, factory: Callable[[], Any], settings: Settings, depth: Depth
) -> Iterator[tuple[tuple[Trace, ...], Step | None]]:
    """Trace an entry as far as is asked for.

    Yields:
        What is known, and what comes next; at the end, nothing.

    Raises:
        Exception: Whatever the factory raises in the first step, FactoryError included.
    """
    silent = Silent(factory, settings)
    for traces, is_all in in_turn(entry, factory, settings, silent.watch, measure=depth.coverage):
        if not is_all:
            yield traces, "default trace"
    search = Search(factory, settings, traces)
    if depth.see_through and search.is_needed:
        yield search.pending(), "see-through"
        traces = search.see()
        if depth.confirm and search.has_leads:
            yield traces, "confirmation"
            traces = search.confirm()
    if silent.is_needed:
        yield traces, "comparison"
        traces = _compared(traces, silent)
    yield traces, None


def _compared(traces: tuple[Trace, ...], silent: Silent) -> tuple[Trace, ...]:
    try:
        lost = silent.losses()
        return tuple(
            replace(trace, events=(*trace.events, *more))
            for trace, more in zip(traces, lost, strict=True)
        )
    # the target's code may raise anything, and nothing may lose what is known already
    except BaseException as error:  # noqa: BLE001
        note = f"its comparison with eager raised {described(error)}"
        return tuple(replace(trace, notes=(*trace.notes, note)) for trace in traces)
