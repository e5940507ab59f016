"""What stock traces hide: the sites that see-through adds to them, and the proof of each."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch._dynamo import config

from graphaudit._dynamo import machine
from graphaudit._dynamo.leads import Lead, leads
from graphaudit._dynamo.passes import CAPTURE
from graphaudit._dynamo.see_through.proof import proof_of
from graphaudit._dynamo.see_through.tracing import see_through
from graphaudit._dynamo.seen import Seen, effect_of
from graphaudit._target.attributes import FactoryError
from graphaudit._target.context import UserContext
from graphaudit._target.factory import Input, Settings, inputs_of, numbered
from graphaudit._target.words import described
from graphaudit.model import GATING_EFFECTS, Event, StoppedAt, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphaudit._dynamo.see_through.sight import Sight


class Search:
    """Looks behind the breaks of one entry, whose stock traces are known."""

    def __init__(
        self, factory: Callable[[], Any], settings: Settings, traces: Sequence[Trace]
    ) -> None:
        self._factory = factory
        self._settings = settings
        self._stock = tuple(traces)
        self._leads: list[list[Lead]] = [[] for _ in traces]
        self._seen: tuple[Trace, ...] = self._stock

    @property
    def is_needed(self) -> bool:
        """Whether anything breaks."""
        return any(map(_is_broken, self._stock))

    @property
    def has_leads(self) -> bool:
        """Whether there is something to prove."""
        return any(self._leads)

    def pending(self) -> tuple[Trace, ...]:
        """Give what holds as long as nothing has looked behind the breaks."""
        return tuple(
            replace(trace, complete=False) if _is_broken(trace) else trace for trace in self._stock
        )

    def see(self) -> tuple[Trace, ...]:
        """Trace each input once, going on after each break. What is new is not yet confirmed."""
        sights: list[list[Sight]] = [[] for _ in self._stock]
        failure = ""
        try:
            self._look(sights)
        # the target's code may raise anything, and nothing may lose what is known already
        except BaseException as error:  # noqa: BLE001
            failure = f"a further trace raised {described(error)}"
        self._leads = [
            [*leads(trace.events, seen)] for trace, seen in zip(self._stock, sights, strict=True)
        ]
        self._seen = tuple(
            self._told(trace, seen, failure) if _is_broken(trace) else trace
            for trace, seen in zip(self._stock, sights, strict=True)
        )
        return self._with([[self._event(lead, None) for lead in own] for own in self._leads])

    def confirm(self) -> tuple[Trace, ...]:
        """Prove each new site; what cannot be proved stays as it is."""
        events: list[list[Event]] = []
        notes: list[tuple[str, ...]] = []
        for which, own in enumerate(self._leads):
            failures: dict[str, None] = {}  # each once
            events.append([self._event(lead, self._proof(which, lead, failures)) for lead in own])
            notes.append(tuple(failures))
        return tuple(
            replace(trace, notes=(*trace.notes, *more))
            for trace, more in zip(self._with(events), notes, strict=True)
        )

    def _look(self, sights: list[list[Sight]]) -> None:
        with machine.prepared(fake=self._settings.fake):
            for which, _, item in numbered(inputs_of(self._factory)):
                if which >= len(self._stock):
                    raise FactoryError("more callables than before")
                if _is_broken(self._stock[which]):
                    sights[which].append(self._sight(item))

    def _sight(self, item: Input) -> Sight:
        settings = self._settings
        with UserContext(settings.context):
            return see_through(
                item.call,
                item.args,
                item.kwargs,
                fullgraph=settings.gate == "fullgraph",
                options=settings.options,
            )
        raise FactoryError(".context swallowed what the trace raised")

    def _proof(self, which: int, lead: Lead, failures: dict[str, None]) -> Seen | None:
        try:
            return self._proved(which, lead)
        # no proof, whatever the target's code raised; nor with a torch that lacks what it needs
        except BaseException as error:  # noqa: BLE001
            failures[f"the proof of a hidden break raised {described(error)}"] = None
            return None

    def _proved(self, which: int, lead: Lead) -> Seen | None:
        settings = self._settings
        strict = config.patch(CAPTURE) if settings.gate == "fullgraph" else nullcontext()
        with machine.prepared(fake=settings.fake), strict:
            item = self._item(which, lead.input)
            with UserContext(settings.context):
                return proof_of(
                    lead.site, item.call, item.args, item.kwargs, options=settings.options
                )
        raise FactoryError(".context swallowed what the proof raised")

    def _item(self, which: int, index: int) -> Input:
        for at, number, item in numbered(inputs_of(self._factory)):
            if (at, number) == (which, index):
                return item
        raise FactoryError("fewer inputs than before")

    def _told(self, trace: Trace, sights: Sequence[Sight], failure: str) -> Trace:
        stops = [sight.stopped_at for sight in sights if sight.stopped_at]
        if failure or len(sights) != trace.inputs:
            given = f"its factory gave {len(sights)} inputs, and {trace.inputs} before"
            stops.append(StoppedAt(path="", line=0, why=failure or given))
        return replace(trace, complete=not stops, stopped_at=next(iter(stops), None))

    def _with(self, events: Sequence[Sequence[Event]]) -> tuple[Trace, ...]:
        return tuple(
            replace(trace, events=(*trace.events, *more))
            for trace, more in zip(self._seen, events, strict=True)
        )

    def _event(self, lead: Lead, proof: Seen | None) -> Event:
        site, strict = lead.site, self._settings.gate == "fullgraph"
        guess = "error" if lead.is_error else effect_of("", site.causes)
        return Event(
            verdict="fullgraph" if strict else "default",
            capture=strict,
            input=lead.input,
            effect=proof.effect if proof else guess,
            causes=proof.causes if proof else site.causes,
            stack=proof.stack if proof else site.stack,
            above=proof.above if proof else site.above,
            seen_by="see-through",
            confirmed=proof is not None,
            secondary=site.secondary,
        )


def _is_broken(trace: Trace) -> bool:
    gating = any(event.effect in GATING_EFFECTS for event in trace.events)
    return gating or not trace.fullgraph.ok
