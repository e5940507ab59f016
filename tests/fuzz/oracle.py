"""What must hold for a program: see-through finds what is planted, and so does stock Dynamo."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import torch

from graphaudit._dynamo.see_through.record import preferred
from graphaudit._dynamo.see_through.tracing import see_through
from graphaudit.model import Gate
from tests.fuzz import stock
from tests.fuzz.program import (
    Plain,
    Program,
    argument,
    load,
    printed,
    quiet,
    run_plain,
    state,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphaudit._dynamo.see_through.sight import Sight

# "left": something is not as it was found
Fault = Literal["missed", "invented", "crashed", "left"]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Something that does not hold."""

    fault: Fault
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one program."""

    wrong: tuple[Disagreement, ...]
    sites: int  # planted lines that are run
    consequences: tuple[str, ...]  # what stock alone shows, and not once all sites are mended


@dataclass(slots=True)
class _Truth:
    verdict: Gate
    path: Path
    program: Program
    plain: Plain
    sites: dict[int, set[str]]  # planted lines that are run, in order -> Dynamo's ids
    consequences: list[str] = field(default_factory=list)

    def shown(self, line: int) -> str:
        return f"line {line} {sorted(self.sites.get(line, ()))}"


def judge(program: Program, folder: Path) -> Finding:
    """Trace a program in every way and compare with what is planted."""
    path = write(program, folder)
    plain = run_plain(program, load(path))
    wrong: list[Disagreement] = []
    consequences: list[str] = []
    for verdict in ("default", "fullgraph"):
        truth = _truth(verdict, path, program, plain)
        wrong += [
            Disagreement(one.fault, f"{verdict}, {one.text}")
            for one in (*_seen_through(truth), *_stock(truth))
        ]
        consequences += truth.consequences
    if stock.probe() != stock.PROBED:
        wrong.append(Disagreement("left", f"Dynamo: {stock.PROBED} became {stock.probe()}"))
    return Finding(tuple(wrong), len(plain.lines), tuple(consequences))


def _truth(verdict: Gate, path: Path, program: Program, plain: Plain) -> _Truth:
    kinds = {line: program.marks[line] for line in plain.lines}
    sites = {
        line: set(kind.gbs)
        for line, kind in kinds.items()
        if verdict == "default" or not kind.captured
    }
    return _Truth(verdict, path, program, plain, sites)


def _seen_through(truth: _Truth) -> Iterator[Disagreement]:
    module = load(truth.path)
    before, given, fullgraph = state(module), argument(), truth.verdict == "fullgraph"
    with quiet() as output:
        sight = see_through(module.entry, (given,), {}, fullgraph=fullgraph, options={})
    yield from _sites(sight, truth)
    yield from _effects(truth.plain.printed, printed(output))
    if state(module) != before or not torch.equal(given, argument()):
        yield Disagreement("left", f"objects: {before} became {state(module)}")
    again = run_plain(truth.program, module)
    if again != truth.plain:
        yield Disagreement("left", f"a plain run: {truth.plain} became {again}")


def _sites(sight: Sight, truth: _Truth) -> Iterator[Disagreement]:
    if sight.stopped_at is not None:
        yield Disagreement("missed", f"see-through stopped: {sight.stopped_at}")
    for error in sight.errors:
        yield Disagreement("crashed", f"see-through met {error.causes[0]} in {error.stack[-1]}")
    found = _lines(sight, truth.path)
    for line in [line for line in truth.sites if line not in found]:
        yield Disagreement("missed", f"see-through: {truth.shown(line)}")
    for line, gbs in found.items():
        if line not in truth.sites:
            yield Disagreement("invented", f"see-through: line {line} {sorted(gbs)}")
        elif gbs != truth.sites[line]:
            shown = f"{truth.shown(line)} is called {sorted(gbs)}"
            yield Disagreement("invented", f"see-through: {shown}")
    if found.keys() == truth.sites.keys() and list(found) != list(truth.sites):
        order = f"{list(found)}, run are {list(truth.sites)}"
        yield Disagreement("invented", f"see-through: the order {order}")


def _lines(sight: Sight, path: Path) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for site in sight.sites:
        place, cause = preferred(site.stack), site.causes[0]
        line = place.line if place.path == str(path) else stock.ELSEWHERE
        found.setdefault(line, set()).add(cause.gb or cause.gb_type)
    return found


def _effects(plain: tuple[str, ...], seen: tuple[str, ...]) -> Iterator[Disagreement]:
    once, now = Counter(plain), Counter(seen)
    for text in sorted(once | now):
        if not once[text] <= now[text] <= 2 * once[text]:
            yield Disagreement("left", f"prints {text!r} {now[text]} times, plain {once[text]}")


def _stock(truth: _Truth) -> Iterator[Disagreement]:
    shown = stock.trace(truth.path, truth.verdict)
    if truth.verdict == "default":
        yield from _stock_default(shown, truth)
    else:
        yield from _stock_fullgraph(shown, truth)


def _stock_default(shown: stock.Shown, truth: _Truth) -> Iterator[Disagreement]:
    if shown.error is not None:
        yield Disagreement("crashed", f"stock raised {shown.message}")
    if truth.sites and not shown.events:
        yield Disagreement("missed", "stock shows nothing")
    extra = [event for event in shown.events if event.line not in truth.sites]
    if not extra:
        return
    path = write(truth.program.mended, truth.path.parent)
    remaining = {event.line for event in stock.trace(path, "default").events}
    write(truth.program, truth.path.parent)
    for event in extra:
        if event.line in remaining:
            yield Disagreement("invented", f"stock: {event}")
        else:
            truth.consequences.append(event.gb)


def _stock_fullgraph(shown: stock.Shown, truth: _Truth) -> Iterator[Disagreement]:
    first = next(iter(truth.sites), None)
    if shown.error is None:
        if first is not None:
            yield Disagreement("missed", f"stock passes {truth.shown(first)}")
    elif first is None:
        yield Disagreement("invented", f"stock: {shown.error}")
    elif shown.error.line != first or shown.error.gb not in truth.sites[first]:
        yield Disagreement("invented", f"stock: {shown.error}, not {truth.shown(first)}")
