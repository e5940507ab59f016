"""Explaining, on hand-made sites."""

from __future__ import annotations

from typing import Any

import pytest

from graphaudit.explain import explain
from graphaudit.model import (
    Break,
    Cause,
    Discovery,
    EntryPoint,
    Environment,
    Location,
    Report,
    Scope,
    Trace,
    Uncovered,
    Unreadable,
)

ENTRY = EntryPoint(id="audit.py::audit_f", path="audit.py", line=3, name="audit_f")
IMPORT = Cause(gb="GB0069", gb_type="Import failure", context="module_name: torchada")
SITE = Location(
    path="a.py",
    line=9,
    end_line=9,
    column=9,
    qualname="is_musa",
    source="import torchada",
    indent=8,
)
LIBRARY = Location(
    path="<site-packages>/somelib/x.py", line=4, end_line=4, column=None, qualname="g", source="h()"
)


def site(**fields: Any) -> Break:
    """Make a site of the default trace, unless said otherwise."""
    plain: dict[str, Any] = {
        "verdict": "default",
        "fullgraph": True,
        "input": 0,
        "warm": False,
        "effect": "resumes",
        "causes": (IMPORT,),
        "site": SITE,
        "library": None,
        "count": 1,
    }
    return Break(**(plain | fields))


def report(*breaks: Break, **fields: Any) -> Report:
    """Explain one trace with these sites."""
    trace = Trace(entry=ENTRY, platform="cpu", breaks=breaks, **fields)
    return explain(
        [trace],
        discovery=Discovery(entries=(ENTRY,)),
        environment=Environment(torch="2.13.0", python="3.11.7", graphaudit="0.1.0"),
        scope=Scope(),
    )


def test_a_finding_carries_place_rule_and_fingerprint() -> None:
    """All that the contract asks for."""
    (found,) = report(site(count=2)).findings

    assert (found.rule, found.gb, found.chain) == ("GA001", "GB0069", ("GB0069",))
    assert (found.path, found.line, found.column, found.qualname) == ("a.py", 9, 9, "is_musa")
    assert (found.entry, found.platform, found.count) == ("audit.py::audit_f", "cpu", 2)
    assert found.fingerprint == "495863a16282cbef"
    assert "except ImportError" in found.why
    assert found.accepted is None


@pytest.mark.parametrize(
    ("gate", "fields", "gates"),
    [
        ("default", {}, True),
        ("default", {"effect": "frame_dropped"}, True),
        ("default", {"effect": "error"}, True),
        ("default", {"effect": "recompile"}, False),
        ("default", {"effect": "stale"}, False),
        ("default", {"effect": "side_effect_lost"}, False),
        ("default", {"fullgraph": False}, True),
        ("fullgraph", {"fullgraph": False}, False),
        ("fullgraph", {"fullgraph": True, "verdict": "fullgraph"}, True),
    ],
)
def test_what_gates(gate: str, fields: dict[str, Any], gates: bool) -> None:
    """By effect, and by what fullgraph lets through."""
    made = report(site(**fields), gate=gate)

    assert made.findings[0].gates is gates
    assert made.entries[0].outcome == ("breaks" if gates else "clean")


@pytest.mark.parametrize("failure", ["error", "timeout", "crashed"])
def test_a_failure_is_the_outcome(failure: Any) -> None:
    """Whatever was found before it."""
    made = report(site(), failure=failure, message="what happened")

    assert (made.entries[0].outcome, made.entries[0].message) == (failure, "what happened")
    assert len(made.findings) == 1


@pytest.mark.parametrize(
    ("fields", "who"),
    [
        ({}, "you"),
        ({"library": LIBRARY}, "you, or somelib"),
        ({"site": LIBRARY}, "somelib"),
        ({"causes": (Cause(gb=None, gb_type="InternalTorchDynamoError"),)}, "torch"),
    ],
)
def test_who_can_mend_it(fields: dict[str, Any], who: str) -> None:
    """By where the leaf lies, and by whose fault it is."""
    assert report(site(**fields)).findings[0].who == who


def test_files_that_cannot_be_read_are_entries_with_an_error() -> None:
    """Nothing that discovery found is lost."""
    broken = EntryPoint(id="b.py::audit_b", path="b.py", line=1, name="audit_b")
    place = Uncovered(path="c.py", line=2, what="torch.compile(f)")
    made = explain(
        [],
        discovery=Discovery(
            entries=(),
            uncovered=(place,),
            unreadable=(Unreadable(entry=broken, message="SyntaxError: x (line 2)"),),
        ),
        environment=Environment(torch=None, python="3.11.7", graphaudit="0.1.0"),
        scope=Scope(),
        notes=("b", "a"),
    )

    assert [(one.id, one.outcome, one.message) for one in made.entries] == [
        ("b.py::audit_b", "error", "b.py: SyntaxError: x (line 2)")
    ]
    assert made.uncovered == (place,)
    assert made.notes == ("a", "b")


def test_a_lost_hook_is_a_note_once() -> None:
    """However many entries met it."""
    assert report(losses=("exc.f is gone: x",)).notes == ("torch 2.13.0: exc.f is gone: x",)


def test_details() -> None:
    """A warm site says so, and a site that fullgraph lets through says why it does not gate."""
    warm = report(site(warm=True)).findings[0].detail
    captured = report(site(fullgraph=False)).findings[0].detail

    assert warm["warm"] is True
    assert "captures scalars" in captured["capture"]
    assert warm["dynamo"]["context"] == "module_name: torchada"


def test_findings_are_sorted_by_place() -> None:
    """The order of the files, not of the trace."""
    late = Location(path="a.py", line=20, end_line=20, column=1, qualname="g", source="x")

    assert [one.line for one in report(site(site=late), site()).findings] == [9, 20]
