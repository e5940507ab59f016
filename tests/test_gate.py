"""The gate on hand-made records: what is accepted, new, moved, stale, and with which exit code."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphaudit.gate import judge, renewed
from graphaudit.model import (
    Accepted,
    Effect,
    Entry,
    Environment,
    Finding,
    FullgraphVerdict,
    Outcome,
    Report,
    Scope,
    Uncovered,
    Verdict,
)

ENTRY = "engine/audit.py::audit_fa"


def _finding(**changes: Any) -> Finding:
    fields: dict[str, Any] = {
        "rule": "GA001",
        "entry": ENTRY,
        "platform": "cpu",
        "input": 0,
        "verdict": "default",
        "gates": True,
        "accepted": None,
        "path": "probes/eager.py",
        "line": 9,
        "end_line": 9,
        "column": 9,
        "qualname": "is_musa",
        "source": "import torchada",
        "gb": "GB0069",
        "chain": ("GB0069",),
        "gb_type": "Import failure",
        "effect": "rest_eager",
        "why": "",
        "fix": "",
        "who": "you",
        "count": 1,
        "fingerprint": "f1",
    }
    return Finding(**(fields | changes))


def _line(**changes: Any) -> Accepted:
    fields: dict[str, Any] = {
        "entry": ENTRY,
        "platform": "cpu",
        "fingerprint": "f1",
        "effect": "rest_eager",
        "reason": "known",
        "gb": "GB0069",
        "torch": "2.13.0",
    }
    return Accepted(**(fields | changes))


def _entry(outcome: Outcome = "breaks", *, id: str = ENTRY, platform: str = "cpu") -> Entry:  # noqa: A002
    return Entry(
        id=id,
        path=id.partition("::")[0],
        line=1,
        platform=platform,
        gate="fullgraph",
        outcome=outcome,
        message="",
        fullgraph=FullgraphVerdict(ok=outcome == "clean"),
        graphs=1,
    )


def _report(
    *findings: Finding,
    entries: tuple[Entry, ...] = (_entry(),),
    scope: Scope | None = None,
    **environment: Any,
) -> Report:
    known = tuple(sorted({entry.id for entry in entries}))
    return Report(
        environment=Environment(
            **({"torch": "2.13.0", "python": "3.11.7", "graphaudit": "0.1.0"} | environment)
        ),
        entries=entries,
        findings=findings,
        scope=scope or Scope(paths=("engine",), entries=known),
    )


def _marks(report: Report) -> list[str | None]:
    return [found.accepted for found in report.findings]


def _stale(verdict: Verdict) -> list[tuple[Accepted, str]]:
    return [(stale.line, stale.why) for stale in verdict.stale]


# Findings


def test_nothing_found_nothing_accepted() -> None:
    """An empty run is clean, and unchanged."""
    report = _report(entries=(_entry("clean"),))
    assert judge(report, ()) == (report, Verdict(new=(), stale=(), untraced=(), exit_code=0))


def test_a_finding_without_a_line_is_new() -> None:
    """It gates."""
    found = _finding()
    report, verdict = judge(_report(found), ())
    assert report == _report(found)
    assert verdict == Verdict(new=(found,), stale=(), untraced=(), exit_code=1)


def test_a_finding_with_its_line_is_accepted() -> None:
    """It gets the reason, and nothing else of it or of the outcome changes."""
    report, verdict = judge(_report(_finding()), (_line(),))
    assert report == _report(_finding(accepted="known"))
    assert verdict == Verdict(new=(), stale=(), untraced=(), exit_code=0)


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_an_empty_reason_is_told(reason: str) -> None:
    """Accepted is accepted."""
    assert _marks(judge(_report(_finding()), (_line(reason=reason),))[0]) == ["no reason given"]


@pytest.mark.parametrize(
    "change",
    [
        {"entry": "engine/audit.py::audit_other"},
        {"platform": "cuda"},
        {"fingerprint": "f2"},
        {"entry": f"{ENTRY}[1]"},
    ],
)
def test_a_line_is_for_one_entry_platform_and_site(change: dict[str, str]) -> None:
    """A site that another entry reaches is new."""
    _, verdict = judge(_report(_finding()), (_line(**change),))
    assert verdict.new == (_finding(),)


_ORDER: tuple[Effect, ...] = ("resumes", "opaque", "rest_eager", "frame_dropped")
_OTHERS: tuple[Effect, ...] = ("not_compiled", "recompile_limit", "error")


@pytest.mark.parametrize("accepted", _ORDER)
@pytest.mark.parametrize("shown", _ORDER)
def test_a_worse_effect_is_new(accepted: Effect, shown: Effect) -> None:
    """A milder one is accepted; either way the line is not stale."""
    report, verdict = judge(_report(_finding(effect=shown)), (_line(effect=accepted),))
    worse = _ORDER.index(shown) > _ORDER.index(accepted)
    assert _marks(report) == [None if worse else "known"]
    assert verdict.stale == ()
    assert verdict.exit_code == int(worse)
    note = f"the baseline accepts {accepted} here, not {shown}"
    assert report.findings[0].detail == ({"note": note} if worse else {})


@pytest.mark.parametrize("accepted", [*_ORDER, *_OTHERS])
@pytest.mark.parametrize("shown", _OTHERS)
def test_other_effects_only_accept_themselves(accepted: Effect, shown: Effect) -> None:
    """They are neither better nor worse than others."""
    _, verdict = judge(_report(_finding(effect=shown)), (_line(effect=accepted),))
    assert bool(verdict.new) is (accepted != shown)


def test_a_line_serves_one_finding() -> None:
    """Two identical `print(x)` need two lines, a third one is new."""
    prints = [_finding(line=line) for line in (3, 4, 5)]
    lines = (_line(reason="one"), _line(reason="two"))
    report, verdict = judge(_report(*prints), lines)
    assert _marks(report) == ["one", "two", None]
    assert verdict.new == (prints[2],)
    assert verdict.exit_code == 1


def test_the_exact_line_is_preferred() -> None:
    """Each finding gets its own effect's line, whatever their order."""
    findings = (_finding(line=3, effect="resumes"), _finding(line=4, effect="frame_dropped"))
    lines = (
        _line(effect="frame_dropped", reason="dropped"),
        _line(effect="resumes", reason="resumes"),
    )
    assert _marks(judge(_report(*findings), lines)[0]) == ["resumes", "dropped"]


def test_the_exact_id_is_preferred() -> None:
    """A line without an id is left for what has no line of its own."""
    findings = (_finding(line=3, gb="GB0001"), _finding(line=4))
    lines = (_line(gb=None, reason="any"), _line(reason="own"))
    assert _marks(judge(_report(*findings), lines)[0]) == ["any", "own"]


def test_a_loose_line_gives_way() -> None:
    """As many findings as possible are accepted: the first to ask does not take the only line."""
    findings = (
        _finding(line=3, effect="resumes"),  # either line would do
        _finding(line=4, effect="rest_eager", gb="GB0001"),  # only the line without id
    )
    lines = (_line(effect="frame_dropped", gb=None, reason="any"), _line(reason="own"))
    assert _marks(judge(_report(*findings), lines)[0]) == ["own", "any"]


def test_the_line_of_the_platform_is_preferred() -> None:
    """The `*` line is kept for the others."""
    findings = (_finding(), _finding(platform="cuda"))
    entries = (_entry(), _entry(platform="cuda"))
    lines = (_line(platform="*", reason="any"), _line(reason="own"))
    report, verdict = judge(_report(*findings, entries=entries), lines)
    assert _marks(report) == ["own", "any"]
    assert verdict.exit_code == 0


def test_a_star_line_serves_once_on_each_platform() -> None:
    """A second identical site on one of them is new."""
    findings = (
        _finding(line=3),
        _finding(platform="cuda", line=3),
        _finding(platform="cuda", line=4),
    )
    entries = (_entry(), _entry(platform="cuda"))
    report, verdict = judge(_report(*findings, entries=entries), (_line(platform="*"),))
    assert _marks(report) == ["known", "known", None]
    assert verdict.new == (findings[2],)


def test_what_does_not_gate_is_never_new() -> None:
    """It may be accepted all the same."""
    found = _finding(gates=False, effect="recompile")
    assert judge(_report(found), ())[1].exit_code == 0
    report, verdict = judge(_report(found), (_line(effect="recompile"),))
    assert _marks(report) == ["known"]
    assert verdict.exit_code == 0


def test_what_gates_has_the_first_claim() -> None:
    """A finding that does not gate takes no line from one that does."""
    findings = (_finding(line=3, gates=False), _finding(line=4, effect="resumes"))
    report, verdict = judge(_report(*findings), (_line(),))
    assert _marks(report) == [None, "known"]
    assert verdict.exit_code == 0


# GB ids


def test_a_changed_id_with_a_changed_torch_is_accepted_with_a_note() -> None:
    """Ids drift between versions."""
    line = _line(gb="GB0025", torch="2.11.0")
    report, verdict = judge(_report(_finding(detail={"warm": True})), (line,))
    assert report.findings == (
        _finding(
            accepted="known",
            detail={
                "warm": True,
                "note": "GB id changed from GB0025 to GB0069 with torch 2.13.0, "
                "accepted with torch 2.11.0",
            },
        ),
    )
    assert verdict.exit_code == 0


def test_a_changed_id_with_the_same_torch_is_new() -> None:
    """The same line now breaks for another reason. The line's site is there: it is not stale."""
    report, verdict = judge(_report(_finding()), (_line(gb="GB0025"),))
    assert verdict.new == report.findings
    assert report.findings[0].detail == {
        "note": "GB id changed from GB0025 to GB0069 with torch 2.13.0"
    }
    assert verdict.stale == ()


@pytest.mark.parametrize("gb", ["GB0001", None])
def test_a_line_without_id_accepts_any(gb: str | None) -> None:
    """No id, no note."""
    report, _ = judge(_report(_finding(gb=gb)), (_line(gb=None),))
    assert report.findings == (_finding(gb=gb, accepted="known"),)


def test_an_id_that_went_away_is_a_changed_id() -> None:
    """Dynamo gives none for some breaks."""
    assert judge(_report(_finding(gb=None)), (_line(),))[1].exit_code == 1
    assert judge(_report(_finding(gb=None)), (_line(torch="2.12.0"),))[1].exit_code == 0


# Moved


MOVED = "engine/old.py::audit_fa"


def test_a_moved_entry_keeps_its_line() -> None:
    """The old file is scanned and holds no entries: the note says where the line was."""
    report, verdict = judge(_report(_finding()), (_line(entry=MOVED),))
    assert report.findings == (
        _finding(accepted="known", detail={"note": "moved from engine/old.py::audit_fa"}),
    )
    assert verdict.exit_code == 0


def test_moved_with_a_changed_id_says_both() -> None:
    """One note."""
    line = _line(entry=MOVED, gb="GB0001", torch="2.12.0")
    report, _ = judge(_report(_finding()), (line,))
    assert report.findings[0].detail == {
        "note": "moved from engine/old.py::audit_fa; GB id changed from GB0001 to GB0069 "
        "with torch 2.13.0, accepted with torch 2.12.0"
    }


@pytest.mark.parametrize(
    "line",
    [
        _line(entry="engine/old.py::audit_other"),
        _line(entry="kernels/old.py::audit_fa"),
        _line(entry="engine/kept.py::audit_fa"),
        _line(entry=MOVED, platform="cuda"),
        _line(entry=MOVED, effect="resumes"),
        _line(entry=MOVED, fingerprint="f2"),
        _line(entry=MOVED, gb="GB0001"),
    ],
    ids=["name", "not scanned", "file kept", "platform", "worse", "site", "id"],
)
def test_what_is_not_moved(line: Accepted) -> None:
    """Another name, an old file that still has entries or was not scanned, another site."""
    scope = Scope(paths=("engine",), entries=(ENTRY, "engine/kept.py::audit_kept"))
    report, verdict = judge(_report(_finding(), scope=scope), (line,))
    assert _marks(report) == [None]
    assert verdict.new == (_finding(),)


def test_an_exact_line_goes_before_a_moved_one() -> None:
    """The moved line is then stale."""
    lines = (_line(entry=MOVED, reason="old"), _line(reason="own"))
    report, verdict = judge(_report(_finding()), lines)
    assert _marks(report) == ["own"]
    assert _stale(verdict) == [(lines[0], "the entry is gone")]


def test_a_moved_line_serves_one_finding() -> None:
    """Two sites, one line."""
    report, _ = judge(_report(_finding(line=3), _finding(line=4)), (_line(entry=MOVED),))
    assert _marks(report) == ["known", None]


def test_many_equal_sites_and_few_lines() -> None:
    """More than Python's recursion limit: as many as there are lines are accepted."""
    prints = [_finding(line=line) for line in range(1, 1301)]
    report, verdict = judge(_report(*prints), (_line(),) * 1200)
    assert _marks(report) == ["known"] * 1200 + [None] * 100
    assert verdict.new == tuple(prints[1200:])


def test_many_moved_entries_of_one_name_and_few_lines() -> None:
    """A renamed folder whose files all reach one site."""
    ids = [f"engine/new{number:04}.py::audit_fa" for number in range(1300)]
    lines = tuple(_line(entry=f"engine/old{number:04}.py::audit_fa") for number in range(1200))
    report, verdict = judge(
        _report(*(_finding(entry=name) for name in ids), entries=tuple(_entry(id=i) for i in ids)),
        lines,
    )
    assert len(verdict.new) == 100
    assert verdict.stale == ()
    notes = [found.detail["note"] for found in report.findings if found.accepted is not None]
    assert sorted(notes) == [f"moved from {line.entry}" for line in lines]


# Stale


@pytest.mark.parametrize("outcome", ["clean", "breaks"])
@pytest.mark.parametrize("platform", ["cpu", "*"])
def test_a_site_that_is_gone(outcome: Outcome, platform: str) -> None:
    """Its entry was traced and does not show it."""
    line = _line(platform=platform)
    report, verdict = judge(_report(entries=(_entry(outcome),)), (line,))
    assert _stale(verdict) == [(line, "the site is gone")]
    assert report.stale == verdict.stale
    assert verdict.exit_code == 1


@pytest.mark.parametrize("outcome", ["error", "timeout", "crashed"])
@pytest.mark.parametrize("platform", ["cpu", "*"])
def test_what_could_not_be_traced_leaves_no_line_stale(outcome: Outcome, platform: str) -> None:
    """Nobody knows whether the site is there."""
    report = _report(entries=(_entry(outcome),))
    assert judge(report, (_line(platform=platform),))[1].stale == ()


def test_a_platform_that_was_not_traced_leaves_its_lines() -> None:
    """A run on a CPU says nothing of CUDA."""
    assert judge(_report(entries=(_entry("clean"),)), (_line(platform="cuda"),))[1].stale == ()


def test_a_star_line_is_stale_only_if_no_platform_shows_it() -> None:
    """One that shows it, or one that could not tell, keeps it."""
    line = _line(platform="*")
    both = (_entry("clean"), _entry(platform="cuda"))
    shown = _finding(platform="cuda")
    assert judge(_report(shown, entries=both), (line,))[1].stale == ()
    assert _stale(judge(_report(entries=both), (line,))[1]) == [(line, "the site is gone")]
    unknown = (_entry("clean"), _entry("crashed", platform="cuda"))
    assert judge(_report(entries=unknown), (line,))[1].stale == ()


def test_a_line_too_many_is_stale() -> None:
    """Two lines, one site left: the line with the reason that sorts last goes."""
    lines = (_line(reason="b"), _line(reason="a"))
    report, verdict = judge(_report(_finding()), lines)
    assert _marks(report) == ["a"]
    assert _stale(verdict) == [(lines[0], "the site is gone")]


@pytest.mark.parametrize(
    ("paths", "entry", "stale"),
    [
        (("engine",), "engine/old.py::audit_x", True),
        (("engine",), "engine/deep/old.py::audit_x", True),
        (("engine",), "engine/audit.py::audit_x", True),
        (("engine",), "engine/audit.py::audit_x[2]", True),
        (("engine",), "engine2/old.py::audit_x", False),
        (("engine",), "kernels/old.py::audit_x", False),
        (("engine/old.py",), "engine/old.py::audit_x", True),
        (("engine/old.py",), "engine/other.py::audit_x", False),
        ((".",), "anything/old.py::audit_x", True),
        ((".",), "../beside/old.py::audit_x", False),
        (("../beside",), "../beside/old.py::audit_x", True),
        (("kernels", "engine"), "engine/old.py::audit_x", True),
        ((), "engine/old.py::audit_x", False),
    ],
)
def test_an_entry_that_is_gone(paths: tuple[str, ...], entry: str, stale: bool) -> None:
    """Its file was scanned (or is gone from a scanned folder), and no such entry was found."""
    line = _line(entry=entry, platform="cuda")
    report = _report(entries=(_entry("clean"),), scope=Scope(paths=paths, entries=(ENTRY,)))
    assert _stale(judge(report, (line,))[1]) == ([(line, "the entry is gone")] if stale else [])


def test_an_entry_that_was_left_out_keeps_its_lines() -> None:
    """With `-k` an entry is discovered but not traced."""
    other = "engine/audit.py::audit_other"
    scope = Scope(paths=("engine",), entries=(ENTRY, other))
    report = _report(entries=(_entry("clean"),), scope=scope)
    assert judge(report, (_line(entry=other), _line(entry=f"{other}[1]")))[1].stale == ()


def test_inputs_of_a_factory() -> None:
    """A line for an input that is no longer given is stale once the factory was traced."""
    ids = (f"{ENTRY}[0]", f"{ENTRY}[1]")
    entries = tuple(_entry("clean", id=name) for name in ids)
    scope = Scope(paths=("engine",), entries=(ENTRY,))
    lines = (_line(entry=f"{ENTRY}[1]"), _line(entry=f"{ENTRY}[2]"), _line(entry=ENTRY))
    _, verdict = judge(_report(entries=entries, scope=scope), lines)
    assert sorted(stale.line.entry for stale in verdict.stale) == [
        ENTRY,
        f"{ENTRY}[1]",
        f"{ENTRY}[2]",
    ]


def test_an_input_is_judged_by_its_own_trace() -> None:
    """One input failed: its line stays, and so does that of an input that never came."""
    entries = (_entry("clean", id=f"{ENTRY}[0]"), _entry("error", id=f"{ENTRY}[1]"))
    scope = Scope(paths=("engine",), entries=(ENTRY,))
    lines = tuple(_line(entry=f"{ENTRY}[{number}]") for number in range(3))
    _, verdict = judge(_report(entries=entries, scope=scope), lines)
    assert _stale(verdict) == [(lines[0], "the site is gone")]


def test_a_factory_that_failed_on_one_platform_keeps_a_star_line() -> None:
    """It failed before it gave the inputs that other platforms have."""
    entries = (_entry("clean", id=f"{ENTRY}[1]"), _entry("error", platform="cuda"))
    scope = Scope(paths=("engine",), entries=(ENTRY,))
    line = _line(entry=f"{ENTRY}[1]", platform="*")
    assert judge(_report(entries=entries, scope=scope), (line,))[1].stale == ()


@pytest.mark.parametrize("environment", [{"without": ("flash_attn",)}, {"stubs": ("torchada",)}])
def test_another_world_leaves_no_line_stale(environment: dict[str, Any]) -> None:
    """What was taken away or put in may be why the site is not there."""
    report = _report(entries=(_entry("clean"),), **environment)
    lines = (_line(), _line(entry=MOVED))
    assert judge(report, lines)[1] == Verdict(new=(), stale=(), untraced=(), exit_code=0)
    assert renewed(report, lines, reason="") == lines


def _unread(path: str) -> tuple[Uncovered, ...]:
    return (Uncovered(path=path, line=1, what="not read: SyntaxError: ...", kind="unread"),)


@pytest.mark.parametrize("path", ["engine/old.py", "engine", ".", "./engine/", "engine/old.py/"])
def test_what_could_not_be_read_leaves_no_line_stale(path: str) -> None:
    """A file, or a folder above it: nobody knows which entries are there. Reasons are kept."""
    lines = (_line(entry="engine/old.py::audit_x"), _line(entry="engine/old.py::audit_x[1]"))
    report = replace(_report(entries=(_entry("clean"),)), uncovered=_unread(path))
    judged, verdict = judge(report, lines)
    assert judged == report
    assert verdict == Verdict(new=(), stale=(), untraced=(), exit_code=0)
    assert renewed(report, lines, reason="later") == lines


@pytest.mark.parametrize(
    "path", ["engine/ol", "engine/old.py2", "engine/other.py", "kernels", "old.py", "../engine"]
)
def test_what_could_be_read_is_judged(path: str) -> None:
    """Another file that could not be read says nothing of this one."""
    line = _line(entry="engine/old.py::audit_x")
    report = replace(_report(entries=(_entry("clean"),)), uncovered=_unread(path))
    assert _stale(judge(report, (line,))[1]) == [(line, "the entry is gone")]
    assert renewed(report, (line,), reason="later") == ()


def test_a_site_that_is_not_covered_protects_no_line() -> None:
    """Its file was read."""
    line = _line(entry="engine/old.py::audit_x")
    site = Uncovered(path="engine/old.py", line=1, what="torch.compile(f)")
    report = replace(_report(entries=(_entry("clean"),)), uncovered=(site,))
    assert _stale(judge(report, (line,))[1]) == [(line, "the entry is gone")]
    assert renewed(report, (line,), reason="later") == ()


def test_nothing_moved_out_of_what_could_not_be_read() -> None:
    """The old entry may still be there and needs its line; the finding elsewhere is new."""
    line = _line(entry=MOVED)
    report = replace(_report(_finding()), uncovered=_unread("engine/old.py"))
    judged, verdict = judge(report, (line,))
    assert _marks(judged) == [None]
    assert verdict.stale == ()
    assert [(one.entry, one.reason) for one in renewed(report, (line,), reason="later")] == [
        (ENTRY, "later"),
        (MOVED, "known"),
    ]


# Exit codes


@pytest.mark.parametrize("outcome", ["error", "timeout", "crashed"])
def test_untraced_is_3(outcome: Outcome) -> None:
    """Whatever else is new or stale."""
    entries = (_entry(outcome), _entry("clean", id="engine/audit.py::audit_b"))
    findings = (_finding(), _finding(effect="error", fingerprint="f2"))
    stale = _line(entry="engine/audit.py::audit_b")
    _, verdict = judge(_report(*findings, entries=entries), (stale,))
    assert verdict.untraced == (entries[0],)
    assert len(verdict.new) == 2
    assert len(verdict.stale) == 1
    assert verdict.exit_code == 3


def test_an_accepted_error_is_not_3() -> None:
    """Its other findings are judged as usual."""
    error = _finding(effect="error", fingerprint="f2")
    line = _line(effect="error", fingerprint="f2")
    entries = (_entry("error"),)
    _, alone = judge(_report(error, entries=entries), (line,))
    assert alone == Verdict(new=(), stale=(), untraced=(), exit_code=0)
    report, verdict = judge(_report(error, _finding(), entries=entries), (line,))
    assert verdict == Verdict(new=(_finding(),), stale=(), untraced=(), exit_code=1)
    assert report.entries == entries


@pytest.mark.parametrize(
    "findings",
    [
        (),
        (_finding(effect="error"),),
        (_finding(effect="error"), _finding(effect="error", fingerprint="f2")),
        (_finding(effect="error", platform="cuda", fingerprint="f2"),),
        (_finding(effect="error", fingerprint="f2", entry="engine/audit.py::audit_b"),),
        (_finding(fingerprint="f3"),),
    ],
    ids=["none", "new", "one of two", "other platform", "other entry", "accepted break"],
)
def test_an_error_that_is_not_accepted_is_3(findings: tuple[Finding, ...]) -> None:
    """Only an accepted error of this very entry excuses it."""
    lines = (
        _line(effect="error", fingerprint="f2"),
        _line(effect="error", fingerprint="f2", platform="cuda"),
        _line(effect="error", fingerprint="f2", entry="engine/audit.py::audit_b"),
        _line(fingerprint="f3"),
    )
    assert judge(_report(*findings, entries=(_entry("error"),)), lines)[1].exit_code == 3


@pytest.mark.parametrize("outcome", ["timeout", "crashed"])
def test_a_limit_or_crash_is_never_excused(outcome: Outcome) -> None:
    """What was accepted is an error, not this."""
    report = _report(_finding(effect="error"), entries=(_entry(outcome),))
    assert judge(report, (_line(effect="error"),))[1].exit_code == 3


def test_judging_again_starts_afresh() -> None:
    """A stored report may carry an older baseline's marks."""
    first, _ = judge(_report(_finding()), (_line(entry=MOVED), _line(fingerprint="f2")))
    assert first.findings[0].accepted == "known"
    assert first.stale
    again, verdict = judge(first, ())
    assert again == _report(_finding())
    assert verdict.exit_code == 1


def test_judging_again_gives_twins_the_same_lines() -> None:
    """Two findings that differ in nothing keep their reasons."""
    lines = (_line(reason=""), _line(reason="a"))
    once = judge(_report(_finding(), _finding()), lines)
    assert _marks(once[0]) == ["no reason given", "a"]
    assert judge(once[0], lines) == once


# --update-baseline


def test_a_new_finding_gets_a_line() -> None:
    """With the platform and the torch that showed it."""
    assert renewed(_report(_finding()), (), reason="later") == (
        Accepted(
            entry=ENTRY,
            platform="cpu",
            fingerprint="f1",
            effect="rest_eager",
            reason="later",
            rule="GA001",
            path="probes/eager.py",
            qualname="is_musa",
            source="import torchada",
            gb="GB0069",
            torch="2.13.0",
        ),
    )


def test_what_does_not_gate_gets_no_line() -> None:
    """There is nothing to accept."""
    assert renewed(_report(_finding(gates=False)), (), reason="later") == ()


@pytest.mark.parametrize(
    "line", [_line(), _line(platform="*"), _line(gb=None), _line(effect="frame_dropped")]
)
def test_a_line_that_matches_is_kept_as_it_is(line: Accepted) -> None:
    """Also a wider one."""
    assert renewed(_report(_finding()), (line,), reason="later") == (line,)


def test_a_stale_line_goes() -> None:
    """And lines that this run says nothing of stay."""
    elsewhere = _line(entry="kernels/audit.py::audit_k")
    report = _report(entries=(_entry("clean"),))
    assert renewed(report, (_line(), elsewhere), reason="later") == (elsewhere,)


def test_of_two_equal_lines_one_goes() -> None:
    """The very same record twice is two lines."""
    line = _line()
    assert renewed(_report(_finding()), (line, line), reason="later") == (line,)


def test_a_worse_effect_keeps_the_reason() -> None:
    """The site is known, its state is updated."""
    report = _report(_finding(effect="frame_dropped"))
    assert renewed(report, (_line(),), reason="later") == (
        _line(effect="frame_dropped", path="probes/eager.py"),
    )


def test_a_changed_id_is_updated() -> None:
    """So that the next change is seen."""
    line = _line(gb="GB0025", torch="2.11.0")
    assert renewed(_report(_finding()), (line,), reason="later") == (_line(path="probes/eager.py"),)


def test_a_moved_line_is_updated() -> None:
    """It then names the entry where it is now."""
    assert renewed(_report(_finding()), (_line(entry=MOVED),), reason="later") == (
        _line(path="probes/eager.py"),
    )


def test_a_star_line_takes_the_worst_of_its_platforms() -> None:
    """One line still serves both."""
    entries = (_entry(), _entry(platform="cuda"))
    findings = (_finding(), _finding(platform="cuda", effect="frame_dropped"))
    lines = renewed(_report(*findings, entries=entries), (_line(platform="*"),), reason="later")
    assert lines == (_line(platform="*", effect="frame_dropped", path="probes/eager.py"),)


def test_a_star_line_with_two_ids_loses_its_id() -> None:
    """Platforms may break for different reasons."""
    entries = (_entry(), _entry(platform="cuda"))
    findings = (_finding(), _finding(platform="cuda", gb="GB0001"))
    lines = renewed(_report(*findings, entries=entries), (_line(platform="*"),), reason="later")
    assert lines == (_line(platform="*", gb=None, path="probes/eager.py"),)


def test_a_star_line_is_split_where_it_cannot_hold_both() -> None:
    """`error` is neither better nor worse than a break: the platform gets a line of its own."""
    entries = (_entry(), _entry(platform="cuda"))
    findings = (_finding(), _finding(platform="cuda", effect="error"))
    lines = renewed(_report(*findings, entries=entries), (_line(platform="*"),), reason="later")
    assert [(line.platform, line.effect, line.reason) for line in lines] == [
        ("*", "rest_eager", "known"),
        ("cuda", "error", "known"),
    ]


def test_what_is_left_of_a_split_line_is_updated() -> None:
    """The platform that it still fits has a new id."""
    entries = (_entry(), _entry(platform="cuda"))
    findings = (_finding(), _finding(platform="cuda", effect="error"))
    line = _line(platform="*", gb="GB0025", torch="2.11.0")
    lines = renewed(_report(*findings, entries=entries), (line,), reason="later")
    assert [(line.platform, line.effect, line.gb, line.torch) for line in lines] == [
        ("*", "rest_eager", "GB0069", "2.13.0"),
        ("cuda", "error", "GB0069", "2.13.0"),
    ]


def test_the_new_baseline_is_sorted() -> None:
    """Whatever the order of the findings."""
    findings = [_finding(fingerprint=name, line=line) for line, name in enumerate("cab", 1)]
    lines = renewed(_report(*findings), (_line(fingerprint="b"),), reason="later")
    assert [(line.fingerprint, line.reason) for line in lines] == [
        ("a", "later"),
        ("b", "known"),
        ("c", "later"),
    ]


# Laws


_ids = st.sampled_from(
    [ENTRY, "engine/audit.py::audit_b", "engine/new.py::audit_m", "kernels/k.py::audit_k"]
)
_line_ids = _ids | st.sampled_from(["engine/old.py::audit_m", "engine/audit.py::audit_gone"])
_platforms = st.sampled_from(["cpu", "cuda"])
_gbs = st.sampled_from(["GB0001", "GB0002", None])
_effects = st.sampled_from(["resumes", "rest_eager", "frame_dropped", "error", "recompile"])
_fingerprints = st.sampled_from(["f1", "f2"])

_findings = st.lists(
    st.builds(
        _finding,
        entry=_ids,
        platform=_platforms,
        gates=st.booleans(),
        effect=_effects,
        gb=_gbs,
        fingerprint=_fingerprints,
        line=st.integers(1, 99),
    ),
    max_size=8,
)
_lines = st.lists(
    st.builds(
        _line,
        entry=_line_ids,
        platform=_platforms | st.just("*"),
        effect=_effects,
        gb=_gbs,
        torch=st.sampled_from(["2.13.0", "2.12.0", None]),
        fingerprint=_fingerprints,
        reason=st.sampled_from(["", "a", "b"]),
    ),
    max_size=8,
)


@st.composite
def _reports(draw: st.DrawFn) -> Report:
    findings = draw(_findings)
    outcomes: st.SearchStrategy[Outcome] = st.sampled_from(["clean", "breaks", "error", "crashed"])
    traced = sorted({(found.entry, found.platform) for found in findings})
    more = draw(st.sets(st.tuples(_ids, _platforms), max_size=3))
    entries = tuple(
        _entry(draw(outcomes), id=name, platform=platform)
        for name, platform in sorted({*traced, *more})
    )
    known = {entry.id for entry in entries} | draw(st.sets(_ids, max_size=2))
    paths = draw(st.sampled_from([(".",), ("engine",), ("engine", "kernels"), ("kernels/k.py",)]))
    without = draw(st.sampled_from([(), (), ("flash_attn",)]))
    unread = draw(st.sampled_from(["", "", "engine/old.py", "engine"]))
    report = _report(
        *findings,
        entries=entries,
        scope=Scope(paths=paths, entries=tuple(sorted(known))),
        without=without,
    )
    return replace(report, uncovered=_unread(unread)) if unread else report


@given(_reports(), _lines)
@settings(max_examples=300, deadline=None)
def test_law_a_renewed_baseline_is_clean(report: Report, lines: list[Accepted]) -> None:
    """What was just accepted is accepted: nothing new, nothing stale, 3 only for the untraced."""
    _, verdict = judge(report, renewed(report, tuple(lines), reason="later"))
    assert verdict.new == ()
    assert verdict.stale == ()
    assert verdict.exit_code == (3 if verdict.untraced else 0)


@given(_reports(), _lines)
@settings(max_examples=300, deadline=None)
def test_law_renewing_twice_changes_nothing(report: Report, lines: list[Accepted]) -> None:
    """A second `--update-baseline` gives the same file."""
    once = renewed(report, tuple(lines), reason="later")
    assert renewed(report, once, reason="again") == once


@given(_reports(), _lines, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_law_order_does_not_matter(report: Report, lines: list[Accepted], random: Any) -> None:
    """Not that of the findings, nor that of the lines."""
    judged, verdict = judge(report, tuple(lines))
    findings = list(report.findings)
    random.shuffle(findings)
    random.shuffle(lines)
    other, other_verdict = judge(replace(report, findings=tuple(findings)), tuple(lines))
    assert Counter(map(repr, other.findings)) == Counter(map(repr, judged.findings))
    assert other.stale == judged.stale
    assert other_verdict.exit_code == verdict.exit_code


@given(_reports(), _lines)
@settings(deadline=None)
def test_law_a_line_serves_once_a_platform(report: Report, lines: list[Accepted]) -> None:
    """No more findings of a site are accepted than there are lines for it."""
    judged, _ = judge(report, tuple(lines))
    served = Counter(
        (found.platform, found.fingerprint)
        for found in judged.findings
        if found.accepted is not None
    )
    for (platform, name), count in served.items():
        fitting = [
            line for line in lines if line.platform in (platform, "*") and line.fingerprint == name
        ]
        assert count <= len(fitting)


@given(_reports(), _lines)
@settings(deadline=None)
def test_law_nothing_is_lost(report: Report, lines: list[Accepted]) -> None:
    """Findings differ in their marks alone; entries, outcomes and the rest not at all."""
    judged, verdict = judge(report, tuple(lines))
    bare = tuple(replace(found, accepted=None, detail={}) for found in judged.findings)
    assert replace(judged, findings=bare, stale=()) == report
    assert verdict.stale == judged.stale
    assert {stale.line for stale in verdict.stale} <= set(lines)
    assert verdict.new == tuple(
        found for found in judged.findings if found.gates and found.accepted is None
    )


@given(_reports(), _lines)
@settings(deadline=None)
def test_law_judging_twice_is_judging_once(report: Report, lines: list[Accepted]) -> None:
    """Marks and notes do not pile up."""
    once = judge(report, tuple(lines))
    assert judge(once[0], tuple(lines)) == once


@given(_reports(), _lines, _lines)
@settings(deadline=None)
def test_law_more_lines_accept_no_less(
    report: Report, lines: list[Accepted], more: list[Accepted]
) -> None:
    """Adding to a baseline makes nothing new."""
    few = judge(report, tuple(lines))[1]
    many = judge(report, (*lines, *more))[1]
    assert len(many.new) <= len(few.new)


@pytest.mark.parametrize(("keyword", "whys"), [("musa", ["the entry is gone"]), ("hip", [])])
def test_a_gone_entry_that_k_leaves_out_is_unseen(keyword: str, whys: list[str]) -> None:
    """Whether it is there or not was not asked."""
    scope = Scope(paths=("engine",), entries=(), keyword=keyword)
    line = _line(entry="engine/audit.py::audit_is_musa")

    judged, _ = judge(_report(entries=(), scope=scope), (line,))

    assert [stale.why for stale in judged.stale] == whys


def test_a_reason_that_was_never_given_is_filled() -> None:
    """By the next update that gives one."""
    lines = renewed(_report(_finding()), (_line(reason="no reason given"),), reason="tracked")

    assert [line.reason for line in lines] == ["tracked"]


def test_a_gone_entry_that_was_not_named_is_unseen() -> None:
    """`scan a.py::audit_x` says nothing of `audit_xy`, there or not."""
    here = "a.py::audit_x"
    scope = Scope(paths=("a.py",), entries=(here,), only=(here,))
    report = _report(entries=(_entry("clean", id=here),), scope=scope)

    judged, _ = judge(report, (_line(entry="a.py::audit_xy"),))

    assert judged.stale == ()
