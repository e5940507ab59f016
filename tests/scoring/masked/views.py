"""What each tool shows of one call: the lines it names, in the file of the call or elsewhere."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from graphaudit._dynamo import passes
from graphaudit._dynamo.see_through.record import preferred
from graphaudit._dynamo.see_through.tracing import see_through
from graphaudit.model import GATING_EFFECTS
from tests.scoring.masked.files import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphaudit._target.factory import Input
    from graphaudit.model import Gate, Location


@dataclass(frozen=True, slots=True)
class Shown:
    """The answer of a tool."""

    lines: frozenset[int]  # in the marked files
    elsewhere: frozenset[str] = frozenset()  # "path:line"
    types: frozenset[tuple[int, str]] = frozenset()  # lines with the types of their root causes
    raising: frozenset[int] = frozenset()  # lines on which Dynamo itself failed
    count: int = 0  # how many breaks the tool says there are
    stopped: str = ""  # why it did not come to the end


def by_see_through(given: Input) -> Shown:
    """Trace once, going on behind each break."""
    with quiet():
        sight = see_through(given.call, given.args, given.kwargs, fullgraph=False, options={})
    places = [(preferred(site.stack), site.causes[0].gb_type) for site in sight.sites]
    stopped = f"{sight.stopped_at.line}: {sight.stopped_at.why}" if sight.stopped_at else ""
    raising = frozenset(preferred(error.stack).line for error in sight.errors)
    return replace(_shown(places, len(sight.sites), stopped), raising=raising)


def by_default_trace(given: Input) -> Shown:
    """Compile and call as a user would."""
    return _by_pass(given, "default")


def by_fullgraph(given: Input) -> Shown:
    """Compile as one graph, which stops at the first break."""
    return _by_pass(given, "fullgraph")


def by_explain(given: Input) -> Shown:
    """Ask `torch._dynamo.explain`."""
    torch.compiler.reset()
    try:
        with quiet():
            told = torch._dynamo.explain(given.call)(*given.args, **given.kwargs)
    except Exception as error:  # noqa: BLE001 - what it raises is its answer
        return Shown(frozenset(), stopped=type(error).__name__)
    finally:
        torch.compiler.reset()
    stacks = [reason.user_stack for reason in told.break_reasons if reason.user_stack]
    lines = {
        place.lineno
        for stack in stacks
        for place in _own(stack)[-1:]  # the innermost frame of the user's
        if place.lineno
    }
    return Shown(frozenset(lines), count=told.graph_break_count)


def _by_pass(given: Input, verdict: Gate) -> Shown:
    with quiet():
        (outcome,) = passes.run(passes.Plan(verdict=verdict), [given])
    error = outcome.error
    ended = [error] if error is not None and error.effect != "error" else []
    breaks = [event for event in outcome.events if event.effect in GATING_EFFECTS]
    places = [(preferred(one.stack), one.causes[0].gb_type) for one in (*breaks, *ended)]
    shown = _shown(places, len(places), outcome.message)
    if error is None or ended:
        return shown
    return replace(shown, raising=frozenset({preferred(error.stack).line}))


def _shown(places: Iterable[tuple[Location, str]], count: int, stopped: str) -> Shown:
    own = [(place.line, kind) for place, kind in places if _is_own(place.path)]
    other = [f"{place.path}:{place.line}" for place, _ in places if not _is_own(place.path)]
    lines = frozenset(line for line, _ in own)
    return Shown(lines, frozenset(other), frozenset(own), count=count, stopped=stopped)


def _own(stack: Iterable[Any]) -> list[Any]:
    return [place for place in stack if _is_own(place.filename)]


def _is_own(path: str) -> bool:
    return path.startswith(str(FOLDER))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep what the calls print, log and warn of from the terminal."""
    torch.manual_seed(0)
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
