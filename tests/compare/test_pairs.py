"""Traces of two forms as one pair: what does not hold, and what the command exits with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from graphaudit import explain, pairs
from graphaudit.model import (
    Answer,
    ComparedPair,
    Comparison,
    Discovery,
    EntryPoint,
    Environment,
    Form,
    FullgraphVerdict,
    Later,
    Trace,
)

YES, NO = Answer(text="True"), Answer(text="False")
RAISED = Answer(text="ValueError: no", raised=True)
TRACES = FullgraphVerdict(ok=True)
BREAKS = FullgraphVerdict(ok=False, gb="GB0069", gb_type="Import failure", path="probe.py", line=7)
ENVIRONMENT = Environment(torch="2.13.0", python="3.11.7", graphaudit="0.1.0")
PAIR = "a[1]/p.py::compare_x"


def later(following: str, eager: Answer = YES, compiled: Answer = NO) -> Later:
    """Make what a change did."""
    given: Any = following
    return Later(change="it rains", following=given, eager=eager, compiled=compiled, fresh=eager)


def form(name: str, fullgraph: FullgraphVerdict = TRACES, **its: Any) -> Trace:
    """Make the trace of a form that holds, but for what is given."""
    given: Any = {"answer": YES, "compiled": YES, "same": True, "agrees": True} | its
    return Trace(
        entry=EntryPoint(id=f"{PAIR}[{name}]", path="a[1]/p.py", line=3, name="compare_x"),
        platform="cpu",
        fullgraph=fullgraph,
        graphs=1,
        form=Form(name=name, nanoseconds=30.0, **given),  # type: ignore[arg-type]
    )


def compared(*traces: Trace, **packages: Any) -> ComparedPair:
    """Make one pair of traces."""
    found = explain.explain(traces, discovery=Discovery(), environment=ENVIRONMENT)
    (pair,) = pairs.report(traces, found, packages).pairs
    return pair


@pytest.mark.parametrize(
    ("eager", "safe", "outcome", "message"),
    [
        ({}, {}, "holds", ""),
        ({"fullgraph": BREAKS}, {}, "holds", ""),
        ({"later": (later("stale"),)}, {"later": (later("unchanged"),)}, "holds", ""),
        ({"same": False, "compiled": NO}, {}, "holds", ""),
        ({"later": (later("follows"),)}, {"later": (later("cached"),)}, "holds", ""),
        (
            {},
            {"fullgraph": BREAKS},
            "breaks",
            "safe does not trace in one graph: GB0069 at probe.py:7",
        ),
        (
            {},
            {"fullgraph": FullgraphVerdict(ok=False, gb_type="RuntimeError")},
            "breaks",
            "safe does not trace in one graph: RuntimeError",
        ),
        (
            {"agrees": False},
            {"agrees": False, "answer": NO, "compiled": NO},
            "differs",
            "eager gives True, safe gives False",
        ),
        (
            {"agrees": False},
            {"agrees": False, "answer": RAISED, "compiled": RAISED},
            "differs",
            "eager gives True, safe raises ValueError: no",
        ),
        (
            {"agrees": False},
            {"agrees": False, "apart": "by up to 0.5"},
            "differs",
            "eager gives True, safe gives True: they differ by up to 0.5",
        ),
        (
            {},
            {"same": False, "compiled": NO},
            "differs",
            "safe, compiled, gives False, where it gives True in eager",
        ),
        (
            {},
            {"same": False, "compiled": RAISED},
            "differs",
            "safe, compiled, raises ValueError: no, where it gives True in eager",
        ),
        (
            {"answer": RAISED},
            {"answer": RAISED, "same": False},
            "differs",
            "safe, compiled, gives True, where it raises ValueError: no in eager",
        ),
        (
            {},
            {"later": (later("unchanged"), later("stale"))},
            "differs",
            'safe, compiled, gives False after "it rains", where eager gives True',
        ),
        ({}, {"later": (later("ahead"),)}, "differs", "where eager gives True"),
        ({}, {"later": (later("differs"),)}, "differs", "where eager gives True"),
        (
            {"answer": RAISED, "compiled": RAISED},
            {"answer": RAISED, "compiled": RAISED, "fullgraph": BREAKS},
            "holds",
            "",
        ),
    ],
)
def test_what_does_not_hold(
    eager: dict[str, Any], safe: dict[str, Any], outcome: str, message: str
) -> None:
    """Of the safe form; what the eager one does is shown and no more."""
    pair = compared(form("eager", **eager), form("safe", **safe))
    assert (pair.id, pair.outcome) == (PAIR, outcome)
    assert pair.message.endswith(message)
    assert bool(pair.message) == bool(message)


@pytest.mark.parametrize(
    ("failure", "outcome"), [("error", "error"), ("timeout", "timeout"), ("crashed", "crashed")]
)
def test_what_could_not_be_compared_says_why(failure: Any, outcome: str) -> None:
    """With the packages of the run, since nothing is known of the pair's own."""
    whole = EntryPoint(id=PAIR, path="a[1]/p.py", line=3, name="compare_x")
    lost = Trace(entry=whole, platform="cpu", failure=failure, message="it is gone")
    pair = compared(lost, vendor="broken")

    assert (pair.id, pair.outcome, pair.message) == (PAIR, outcome, "it is gone")
    assert (pair.eager, pair.safe, pair.agree) == (None, None, False)
    assert pair.packages == {"vendor": "broken"}


def test_a_form_without_answers_takes_the_pair_with_it() -> None:
    """What an audit artefact made fail is not compared, though the other form was called."""
    safe = form("safe")
    lost = replace(safe, form=None, failure="error", message="not the fault of your code")
    pair = compared(form("eager"), lost)

    assert (pair.outcome, pair.message) == ("error", "not the fault of your code")
    assert pair.eager is not None


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        (["holds"], 0),
        (["holds", "breaks"], 1),
        (["differs"], 1),
        (["holds", "error"], 3),
        (["breaks", "crashed"], 3),
        (["timeout", "holds"], 3),
    ],
)
def test_exit_code(outcomes: list[Any], code: int) -> None:
    """What could not be compared weighs more than what does not hold."""
    one = compared(form("eager"), form("safe"))
    many = tuple(replace(one, outcome=outcome) for outcome in outcomes)
    assert pairs.exit_code(Comparison(environment=ENVIRONMENT, pairs=many, findings=())) == code


def test_runs_come_together() -> None:
    """A pair's comparisons stand side by side; stubs and notes are told once."""
    traces = (form("eager"), form("safe"))
    found = explain.explain(
        traces,
        discovery=Discovery(),
        environment=replace(ENVIRONMENT, stubs=("vendor",)),
        notes=["read this"],
    )
    first = pairs.report(traces, found, {})
    second = pairs.report(traces, found, {"vendor": "broken"})
    whole = pairs.together([first, second], ENVIRONMENT)

    assert [pair.packages for pair in whole.pairs] == [{}, {}]
    assert whole.environment.stubs == ("vendor",)
    assert whole.notes == ("read this",)
