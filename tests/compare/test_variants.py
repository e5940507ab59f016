"""Which further runs pairs ask for, by how their packages were found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphaudit.model import Answer, EntryPoint, Form, Packages, Setting, Trace
from graphaudit.variants import Run, further

if TYPE_CHECKING:
    from graphaudit.model import PackageState

ANSWER = Answer(text="True")


def entry(name: str, line: int = 1) -> EntryPoint:
    """Make a pair's entry."""
    return EntryPoint(id=f"a.py::{name}", path="a.py", line=line, name=name)


def trace(of: EntryPoint, platform: str, **packages: PackageState) -> Trace:
    """Make the trace of one form."""
    form = Form(
        name="eager",
        answer=ANSWER,
        compiled=ANSWER,
        same=True,
        agrees=True,
        nanoseconds=None,
        packages=packages,
    )
    return Trace(entry=of, platform=platform, form=form)


def asked(run: Run) -> list[tuple[str, Packages]]:
    """Give the settings of a run, shortened."""
    return [(one.platform, one.packages) for one in run.settings]


@pytest.mark.parametrize(
    ("found", "states"),
    [
        ("absent", ["broken", "stubbed"]),
        ("broken", ["absent", "stubbed"]),
        ("stubbed", ["absent", "broken"]),
        ("present", ["absent", "broken"]),
    ],
)
def test_each_state_but_the_one_that_was_found(found: PackageState, states: list[str]) -> None:
    """What is there is not stood in for."""
    first = Run(entries=(entry("compare_x"),), settings=(Setting(),))
    runs = list(further(first, [trace(first.entries[0], "cpu", vendor=found)]))

    assert [run.packages for run in runs] == [{"vendor": state} for state in states]


def test_the_state_is_asked_for_as_an_option_is() -> None:
    """In place of what the platform asks of that package."""
    lacking = Setting(platform="cuda", packages=Packages(without=("vendor", "other"), auto=True))
    first = Run(entries=(entry("compare_x"),), settings=(lacking,))
    broken, stubbed = further(first, [trace(first.entries[0], "cuda", vendor="absent")])

    kept = {"without": ("other",), "auto": True}
    assert asked(broken) == [("cuda", Packages(broken=("vendor",), **kept))]
    assert asked(stubbed) == [("cuda", Packages(stub=("vendor",), **kept))]


def test_a_run_is_for_the_platforms_and_pairs_that_lack_it() -> None:
    """MUSA has its vendor's package; a pair that names none is compared once."""
    pairs = (entry("compare_x", 1), entry("compare_y", 5))
    settings = tuple(Setting(platform=name) for name in ("cuda", "musa"))
    first = Run(entries=pairs, settings=settings)
    traces = [
        trace(pairs[0], "cuda", torchada="absent"),
        trace(pairs[0], "musa", torchada="present"),
        trace(pairs[1], "cuda"),
        trace(pairs[1], "musa"),
    ]
    runs = {run.packages["torchada"]: run for run in further(first, traces)}

    assert [one.platform for one in runs["absent"].settings] == ["musa"]
    assert [one.platform for one in runs["broken"].settings] == ["cuda", "musa"]
    assert [one.platform for one in runs["stubbed"].settings] == ["cuda"]
    assert {run.entries for run in runs.values()} == {pairs[:1]}


@pytest.mark.parametrize("option", ["without", "broken", "stub"])
def test_a_package_that_was_asked_for_stays(option: str) -> None:
    """The command line has the last word."""
    first = Run(entries=(entry("compare_x"),), settings=(Setting(),))
    traces = [trace(first.entries[0], "cpu", vendor="absent")]
    assert not list(further(first, traces, asked=Packages(**{option: ("vendor",)})))


def test_packages_take_turns() -> None:
    """One differs from how it was found, all others stay."""
    first = Run(entries=(entry("compare_x"),), settings=(Setting(),))
    runs = list(further(first, [trace(first.entries[0], "cpu", b="absent", a="present")]))

    assert [run.packages for run in runs] == [
        {"a": "absent"},
        {"a": "broken"},
        {"b": "broken"},
        {"b": "stubbed"},
    ]


def test_a_pair_that_could_not_be_compared_asks_for_nothing() -> None:
    """What it depends on is not known."""
    first = Run(entries=(entry("compare_x"),), settings=(Setting(),))
    lost = Trace(entry=first.entries[0], platform="cpu", failure="error", message="no")
    assert not list(further(first, [lost]))
