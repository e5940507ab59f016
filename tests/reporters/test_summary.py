"""The summary line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphaudit import reporters

if TYPE_CHECKING:
    from graphaudit.model import Report


def test_all_kinds(report: Report) -> None:
    """Each outcome is counted, and new findings and stale lines."""
    assert reporters.summary(report) == (
        "6 entries: 2 clean, 1 with breaks, 1 with breaks (accepted), 1 with errors, 1 timed out; "
        "2 new findings, 1 stale line"
    )


def test_one_of_each(report: Report) -> None:
    """One is singular, and zero is said."""
    clean = replace(report, entries=report.entries[:1], findings=(), stale=())
    assert reporters.summary(clean) == "1 entry: 1 clean; 0 new findings, 0 stale lines"


def test_findings_that_share_a_site(report: Report) -> None:
    """Several entries that reach one site: both numbers are said."""
    both = tuple(replace(found, accepted=None) for found in report.findings[-2:])
    assert "; 2 new findings at 1 site, " in reporters.summary(replace(report, findings=both))


def test_accepted_error(report: Report) -> None:
    """An entry that raised is accepted by a line for the error, not by one for a break."""
    failed = report.entries[2]
    known = replace(report.findings[-2], entry=failed.id, accepted="known")
    breaks = replace(report, entries=(failed,), findings=(known,), stale=())
    error = replace(breaks, findings=(replace(known, effect="error"),))
    assert "1 with errors;" in reporters.summary(breaks)
    assert "1 with errors (accepted);" in reporters.summary(error)


def test_notes_do_not_count(report: Report) -> None:
    """A finding that does not gate is not new."""
    notes = tuple(replace(found, gates=False) for found in report.findings)
    assert "; 0 new findings, " in reporters.summary(replace(report, findings=notes))
