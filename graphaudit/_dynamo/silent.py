"""Silent losses: a value baked in without a guard, a side effect lost. Findings that do not gate.

The watch says where a trace met something of the kind. What is a loss only where the program
shows it needs the differential, which costs a compilation and a few eager runs; it is made where
the watch saw such a place, and where an entry has further inputs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from graphaudit._dynamo import notes as kinds
from graphaudit._dynamo import stacks
from graphaudit._dynamo.as_traced import way_of
from graphaudit._dynamo.compared import STDOUT, Difference
from graphaudit._dynamo.differential import Differential, Factory
from graphaudit._dynamo.digests import Digest
from graphaudit._dynamo.parts import LENGTH
from graphaudit._dynamo.visible import shortened, shown
from graphaudit._dynamo.watch import Watch
from graphaudit._target.belongs import is_targets
from graphaudit._target.factory import Settings
from graphaudit.model import Cause, Effect, Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from graphaudit._dynamo.notes import Followed, Note

DIFFERS: Final = "Result differs from eager"
STATE_DIFFERS: Final = "State differs from eager"

_CERTAIN: Final[dict[str, tuple[Effect, str]]] = {
    kinds.ENVIRONMENT: (
        "stale",
        "Dynamo read the variable while tracing and guards nothing: the graph keeps the value.",
    ),
    kinds.RANDOM: (
        "stale",
        "The graph starts from the generator's state in the trace: each call draws the same.",
    ),
    kinds.IGNORED: (
        "side_effect_lost",
        "`torch._dynamo.config.ignore_logging_functions` names it: compiled code says nothing.",
    ),
}
_PROVED: Final[dict[str, str]] = {
    kinds.CACHED: "Dynamo does not ask the cache: each compiled call does the body again.",
    kinds.COMPILING: "Compiled code goes another way here than eager.",
    kinds.ASSUMED: "`assume_constant_result`: it is called in the trace and never again.",
    kinds.IN_GRAPH: "`allow_in_graph`: its Python code runs in the trace as well.",
    kinds.MOVED: (
        "`torch._dynamo.config.reorderable_logging_functions` names it: the message comes at the "
        "end of the graph, with what a tensor holds then."
    ),
}


@dataclass(slots=True)
class Silent:
    """The silent losses of one entry; `watch` belongs around its passes."""

    factory: Factory
    settings: Settings
    watch: Watch = field(default_factory=Watch)

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to tell or to compare."""
        further = not self.settings.fake and any(one.inputs > 1 for one in self.watch.followed)
        return bool(self.watch.notes) or further

    def losses(self) -> list[tuple[Event, ...]]:
        """Find the losses of each callable that the passes called, in order."""
        differential = Differential(self.factory, self.settings)
        return [
            tuple(self._losses(differential, index, followed))
            for index, followed in enumerate(self.watch.followed)
        ]

    def _losses(
        self, differential: Differential, index: int, followed: Followed
    ) -> Iterator[Event]:
        notes = _merged(note for note in self.watch.notes if note.index == index)
        for note in notes:
            if note.kind in _CERTAIN:
                effect, why = _CERTAIN[note.kind]
                yield _event(note, effect, why, note.input)
        doubtful = [note for note in notes if note.kind not in _CERTAIN]
        if not self.settings.fake and (doubtful or followed.inputs > 1):
            results, state = differential.differences(index)
            yield from _of_text(doubtful, results)
            found = [*state, *(one for one in results if one.path != STDOUT)]
            explained: set[str] = set()
            for note, shown_too in _explanations(differential, notes, found):
                explained.update(one.path for one in shown_too)
                if note.kind in _PROVED:
                    why = f"{_PROVED[note.kind]} {_told(shown_too[0])}"
                    yield _event(note, _effect(shown_too), why, _first_input(shown_too))
            rest = [one for one in found if one.path not in explained]
            if rest:
                yield _unexplained(followed.call, rest)


def _of_text(notes: list[Note], results: list[Difference]) -> Iterator[Event]:
    if any(one.path == STDOUT for one in results):
        for note in notes:
            if note.kind == kinds.MOVED:
                yield _event(note, "side_effect_lost", _PROVED[note.kind], note.input)


def _explanations(
    differential: Differential, notes: list[Note], found: list[Difference]
) -> Iterator[tuple[Note, list[Difference]]]:
    """Give each note that explains differences, with these."""
    for note in notes if found else []:
        way = way_of(note)
        shown_too = differential.explained(note.index, way, found) if way else []
        if shown_too:
            yield note, shown_too


def _effect(found: list[Difference]) -> Effect:
    return "side_effect_lost" if any(one.call is None for one in found) else "stale"


def _first_input(found: list[Difference]) -> int:
    return min((one.input for one in found if one.call is not None), default=0)


def _told(one: Difference) -> str:
    name, length = one.path.removesuffix(LENGTH), one.path.endswith(LENGTH)
    what = f"the length of `{shortened(name)}`" if length else f"`{shortened(name)}`"
    when = f"In call {one.call + 1}" if one.call is not None else "After the calls"
    if isinstance(one.compiled, Digest) and isinstance(one.eager, Digest):
        return f"{when} {what} is another tensor than in eager."
    ours, theirs = shown(one.compiled, one.eager), shown(one.eager, one.compiled)
    return f"{when} {what} is {ours}, in eager {theirs}."


def _unexplained(call: Callable[..., Any], found: list[Difference]) -> Event:
    effect = _effect(found)
    kind = STATE_DIFFERS if effect == "side_effect_lost" else DIFFERS
    cause = Cause(
        gb=None, gb_type=kind, context=shortened(found[0].path), explanation=_told(found[0])
    )
    place = stacks.of_callable(call)
    return Event(
        verdict="default",
        input=_first_input(found),
        effect=effect,
        causes=(cause,),
        # a library's class says nothing: then the entry stands for it
        stack=place if place and is_targets(place[0].path) else (),
    )


def _event(note: Note, effect: Effect, why: str, number: int) -> Event:
    return Event(
        verdict="default",
        input=number,
        effect=effect,
        causes=(Cause(gb=None, gb_type=note.kind, context=note.what, explanation=why),),
        stack=note.stack,
        above=note.above,
    )


def _merged(notes: Iterable[Note]) -> list[Note]:
    """Keep one note of each thing at each place: traces start over, and passes do the same."""
    first: dict[tuple[str, str, str, int, int | None], Note] = {}
    for note in notes:
        place = note.place
        first.setdefault((note.kind, note.what, place.path, place.line, place.column), note)
    return list(first.values())
