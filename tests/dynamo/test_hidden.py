"""What see-through adds to the stock traces of an entry."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from graphaudit._dynamo.hidden import Search
from graphaudit._dynamo.verdicts import trace_entry
from graphaudit._target.factory import Settings
from graphaudit.model import EntryPoint, Event, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Dynamo warns of what it breaks on, once in a process
pytestmark = pytest.mark.filterwarnings("ignore:Dynamo does not know")

ENTRY = EntryPoint(id="audit.py::audit_f", path="audit.py", line=1, name="audit_f")
CALLS: list[str] = []


def search(factory: Callable[[], Any], **settings: Any) -> tuple[Search, tuple[Trace, ...]]:
    """Trace a factory with stock Dynamo first."""
    chosen = Settings(**settings)
    stock = trace_entry(ENTRY, factory, chosen)
    return Search(factory, chosen, stock), stock


def added(stock: Trace, trace: Trace) -> list[Event]:
    """Give what a trace has more."""
    assert trace.events[: len(stock.events)] == stock.events
    return list(trace.events[len(stock.events) :])


def masked(x: torch.Tensor) -> torch.Tensor:
    """Break in a loop, and behind it."""
    for _ in range(2):
        torch._dynamo.graph_break()
        x = x + 1
    time.time()
    return x * 2


def two_ways(x: torch.Tensor, flag: bool) -> torch.Tensor:
    """Hide another break on each way."""
    for _ in range(2):
        torch._dynamo.graph_break()
    if flag:
        time.time()
    else:
        time.monotonic()
    return x


def strict(x: torch.Tensor) -> torch.Tensor:
    """Break for a plain compile alone, behind a break."""
    for _ in range(2):
        torch._dynamo.graph_break()
    return x + x.sum().item()


def test_a_hidden_site_is_added_then_confirmed() -> None:
    """Its effect is what Dynamo does with the frame."""
    looking, (stock,) = search(lambda: (masked, (torch.ones(3),)), gate="default")
    assert looking.is_needed

    (seen,) = looking.see()
    (one,) = added(stock, seen)
    assert (one.stack[-1].source, one.seen_by, one.confirmed) == (
        "time.time()",
        "see-through",
        False,
    )
    assert (seen.complete, seen.stopped_at) == (True, None)

    assert looking.has_leads
    (proved,) = looking.confirm()
    (one,) = added(stock, proved)
    assert (one.effect, one.causes[0].gb, one.confirmed) == ("resumes", "GB0007", True)
    assert proved.complete


def test_a_clean_entry_needs_no_search() -> None:
    """There is nothing to look behind."""
    looking, _ = search(lambda: (torch.nn.Linear(2, 2), (torch.ones(1, 2),)))

    assert not looking.is_needed


def test_each_input_is_traced() -> None:
    """Another way through the code shows other breaks."""

    def factory() -> Iterator[Any]:
        yield two_ways, (torch.ones(3), True)
        yield two_ways, (torch.ones(3), False)

    looking, (stock,) = search(factory)
    looking.see()
    (proved,) = looking.confirm()

    assert [(one.input, one.stack[-1].source, one.confirmed) for one in added(stock, proved)] == [
        (0, "time.time()", True),
        (1, "time.monotonic()", True),
    ]


def test_fullgraph_captures_scalars() -> None:
    """What passes under fullgraph is no site of an entry that gates on it."""
    factory = lambda: (strict, (torch.ones(3),))  # noqa: E731
    of_gate = {}
    for gate in ("fullgraph", "default"):
        looking, (stock,) = search(factory, gate=gate)
        looking.see()
        of_gate[gate] = [one.stack[-1].source for one in added(stock, *looking.confirm())]

    assert of_gate == {"fullgraph": [], "default": ["return x + x.sum().item()"]}


def test_only_what_breaks_is_looked_behind() -> None:
    """Of several callables, each has its own answer."""

    def factory() -> Iterator[Any]:
        yield torch.nn.Linear(2, 2), (torch.ones(1, 2),)
        yield masked, (torch.ones(3),)

    looking, stock = search(factory)
    clean, broken = looking.see()

    assert (clean, broken.complete) == (stock[0], True)


def test_a_factory_that_fails_later_loses_nothing() -> None:
    """The list is then not complete, and says why."""
    calls: list[int] = []

    def factory() -> Any:
        calls.append(1)
        if len(calls) > stock_calls:
            raise RuntimeError("no weights any more")
        return masked, (torch.ones(3),)

    stock_calls = 1_000
    chosen = Settings(gate="default")
    stock = trace_entry(ENTRY, factory, chosen)
    stock_calls = len(calls)
    looking = Search(factory, chosen, stock)
    (seen,) = looking.see()

    assert added(stock[0], seen) == []
    assert seen.complete is False
    assert seen.stopped_at is not None
    assert "no weights any more" in seen.stopped_at.why


def test_a_factory_that_gives_less_later_loses_nothing() -> None:
    """Neither a callable nor an input that see-through did not get passes for looked at."""
    calls: list[int] = []

    def factory() -> Iterator[Any]:
        calls.append(1)
        yield masked, (torch.ones(3),)
        if len(calls) <= stock_calls:
            yield masked, (torch.ones(4),)
            yield two_ways, (torch.ones(3), True)

    stock_calls = 1_000
    chosen = Settings(gate="default")
    stock = trace_entry(ENTRY, factory, chosen)
    assert [trace.inputs for trace in stock] == [2, 1]
    stock_calls = len(calls)

    for seen, given in zip(Search(factory, chosen, stock).see(), ("1 inputs", "0"), strict=True):
        assert seen.complete is False
        assert seen.stopped_at is not None
        assert given in seen.stopped_at.why


def test_a_factory_that_gives_more_later_is_not_complete() -> None:
    """What stock Dynamo has not judged is in no list."""
    calls: list[int] = []

    def factory() -> Iterator[Any]:
        calls.append(1)
        yield masked, (torch.ones(3),)
        if len(calls) > stock_calls:
            yield masked, (torch.ones(4),)

    stock_calls = 1_000
    chosen = Settings(gate="default")
    stock = trace_entry(ENTRY, factory, chosen)
    stock_calls = len(calls)
    (seen,) = Search(factory, chosen, stock).see()

    assert seen.complete is False


def test_a_failed_proof_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch without a hook must not pass for one that shows no break."""
    looking, (stock,) = search(lambda: (masked, (torch.ones(3),)), gate="default")
    looking.see()
    monkeypatch.delattr(InstructionTranslatorBase, "log_graph_break")
    (left,) = looking.confirm()

    assert [one.confirmed for one in added(stock, left)] == [False]
    (note,) = left.notes
    assert "log_graph_break" in note


def test_a_target_that_replaces_torch_compile_is_seen_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An engine's switch for eager is none of ours."""
    looking, (stock,) = search(lambda: (masked, (torch.ones(3),)), gate="default")
    monkeypatch.setattr(torch, "compile", lambda call, **_: call)
    looking.see()
    (proved,) = looking.confirm()

    assert [one.confirmed for one in added(stock, proved)] == [True]
    assert proved.complete


def test_without_a_proof_a_site_stays_unconfirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the clock away that the first trace met."""
    looking, (stock,) = search(lambda: (masked, (torch.ones(3),)), gate="default")
    looking.see()
    monkeypatch.setattr(time, "time", len_of_nothing)
    (left,) = looking.confirm()
    (one,) = added(stock, left)

    assert (one.stack[-1].source, one.confirmed) == ("time.time()", False)


def len_of_nothing() -> int:
    """Be something that Dynamo can trace."""
    return 0
