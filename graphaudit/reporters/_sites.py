"""Findings as the table shows them: one site, with every entry that reaches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from graphaudit._paths import is_library
from graphaudit.model import HARM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.model import Entry, Finding, Report

_Key = tuple[bool, str, int, tuple[str, ...]]
State = Literal["NEW", "error", "accepted", "note"]
Shown = Literal["clean", "breaks", "accepted", "error", "timeout", "crashed"]


def state(found: Finding) -> State:
    """Say whether `found` counts against the gate."""
    if not found.gates:
        return "note"
    if found.accepted is not None:
        return "accepted"
    return "error" if found.effect == "error" else "NEW"


def site_state(site: Sequence[Finding]) -> State:
    """Say whether any finding of `site` counts against the gate."""
    states = {state(found) for found in site}
    order: tuple[State, ...] = ("NEW", "error", "accepted")
    return next((one for one in order if one in states), "note")


def sites(findings: Sequence[Finding]) -> list[tuple[Finding, ...]]:
    """Group `findings` by line and cause: file by file, the user's own first; entries sorted."""
    groups: dict[_Key, list[Finding]] = {}
    for found in sorted(findings, key=lambda found: (found.entry, found.platform, found.input)):
        groups.setdefault(_key(found), []).append(found)
    return [tuple(groups[key]) for key in sorted(groups)]


def _key(found: Finding) -> _Key:
    """Give what makes two findings one site; the column may differ with the way there."""
    cause = (found.rule, found.fingerprint, found.gb or "", found.gb_type)
    return is_library(found.path), found.path, found.line, cause


def worst(site: Sequence[Finding]) -> Finding:
    """Give the finding of `site` with the most harm; of equals, the first."""
    return max(site, key=lambda found: (found.gates, HARM[found.effect]))


def outcomes(report: Report) -> list[tuple[Entry, Shown]]:
    """Give each entry with its outcome, "accepted" where the baseline accepts all it showed."""
    gating: dict[tuple[str, str], list[Finding]] = {}
    for found in report.findings:
        if found.gates:
            gating.setdefault((found.entry, found.platform), []).append(found)
    return [
        (entry, _outcome(entry, gating.get((entry.id, entry.platform), [])))
        for entry in report.entries
    ]


def _outcome(entry: Entry, gating: Sequence[Finding]) -> Shown:
    """Say what to call the outcome of `entry`, whose gating findings are `gating`."""
    failed = entry.outcome == "error"
    if entry.outcome != "breaks" and not failed:
        return entry.outcome
    # An entry that raised is accepted by the line for the error itself, not by its breaks' lines.
    named = any(found.effect == "error" for found in gating) if failed else bool(gating)
    accepted = named and all(state(found) == "accepted" for found in gating)
    return "accepted" if accepted else entry.outcome
