"""What a measured call adds to the traces of an entry: functions left to eager without a word."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch._dynamo import config

from graphaudit._dynamo import machine
from graphaudit._dynamo.coverage.measure import Meter
from graphaudit._dynamo.passes import CAPTURE, Plan
from graphaudit._dynamo.skips import FrameLog, left_to_eager
from graphaudit._target.factory import Settings, inputs_of, numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphaudit.model import Event, Trace


def with_skips(
    factory: Callable[[], Any], settings: Settings, traces: Sequence[Trace]
) -> tuple[Trace, ...]:
    """Call each input once more, measured, and add what ran in eager and no trace has told.

    An entry that could not be traced stays as it is.

    Raises:
        Exception: What the factory raises this time.
    """
    found: list[list[Event]] = [[] for _ in traces]
    plan = Plan(
        verdict="default",
        options=settings.options,
        context=settings.context,
        fake=settings.fake,
        warm=settings.repeat,
    )
    strict = config.patch(CAPTURE) if settings.gate == "fullgraph" else nullcontext()
    with machine.prepared(fake=settings.fake), strict:
        meter, log, last = None, FrameLog(), -1
        for which, number, item in numbered(inputs_of(factory)):
            if which >= len(traces) or traces[which].failure:
                continue
            if meter is None or which != last:
                meter, log, last = Meter(plan, item.call), FrameLog(), which
            with log.installed():
                recorded = meter.record(item)
            if recorded is not None:
                told = traces[which].events
                found[which] += left_to_eager(
                    recorded.operators, log, told, verdict=settings.gate, input=number
                )
    return tuple(
        replace(trace, events=(*trace.events, *more))
        for trace, more in zip(traces, found, strict=True)
    )
