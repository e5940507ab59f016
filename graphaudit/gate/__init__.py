"""The verdict: a report held against a baseline.

The baseline changes no outcome and removes no finding. It gives a finding the reason why it is
accepted, and sometimes a note (`detail["note"]`, which belongs to this stage alone); its own lines
that nothing needs any more go to `report.stale`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from graphaudit.gate.pairing import order, pairs
from graphaudit.gate.renewal import accept, renew
from graphaudit.gate.scanned import TRACED, Scanned
from graphaudit.model import Accepted, Finding, Report, Stale, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphaudit.gate.pairing import Pair

NO_REASON: Final = "no reason given"


def judge(report: Report, accepted: tuple[Accepted, ...]) -> tuple[Report, Verdict]:
    """Say what is accepted, what is new, and which lines of the baseline are stale.

    A report that was judged before is judged afresh.

    Returns:
        The report with `accepted`, notes and `stale` filled in, and the verdict. Its `untraced`
        are the entries that ended in an error, a time limit or a crash, but for those whose error
        is itself accepted; its `exit_code` is 3 if there are any, else 1 if anything is new or
        stale, else 0.
    """
    scanned = Scanned(report)
    made = pairs(report, accepted, scanned)
    by_finding = {pair.finding: pair for pair in made}
    findings = tuple(
        _marked(found, by_finding.get(index), accepted, report.environment.torch)
        for index, found in enumerate(report.findings)
    )
    whys = _stale(accepted, made, scanned)
    stale = tuple(Stale(line=accepted[index], why=why) for index, why in whys.items())
    judged = replace(report, findings=findings, stale=stale)
    return judged, _verdict(judged)


def renewed(report: Report, accepted: tuple[Accepted, ...], *, reason: str) -> tuple[Accepted, ...]:
    """Give the baseline that accepts what `report` shows.

    Lines that are still needed keep their reasons, or get `reason` if none was given, and those
    that this run cannot judge stay; stale ones go. A site that moved, got worse or changed its GB
    id keeps its reason under its new state. What is new gets a line for the platform that showed
    it, with `reason`.
    """
    torch = report.environment.torch
    scanned = Scanned(report)
    made = pairs(report, accepted, scanned)
    stale = _stale(accepted, made, scanned)
    shown = _shown(report, made)
    paired = {pair.finding for pair in made}
    lines: list[Accepted] = []
    for index, line in enumerate(accepted):
        if index not in stale:
            given = reason if shown[index] and line.reason == NO_REASON else line.reason
            lines.extend(renew(replace(line, reason=given), shown[index], torch))
    lines.extend(
        accept(found, torch, reason=reason)
        for index, found in enumerate(report.findings)
        if found.gates and index not in paired
    )
    # Again: a `*` line that was widened for one platform may make another line needless.
    stale = _stale(lines, pairs(report, lines, scanned), scanned)
    kept = [line for index, line in enumerate(lines) if index not in stale]
    return tuple(sorted(kept, key=order))


def _shown(report: Report, made: tuple[Pair, ...]) -> defaultdict[int, list[Finding]]:
    """Give the findings that a line has to accept from now on."""
    shown: defaultdict[int, list[Finding]] = defaultdict(list)
    for pair in made:
        found = report.findings[pair.finding]
        if found.gates or pair.how != "not accepted":
            shown[pair.line].append(found)
    return shown


def _marked(
    found: Finding, pair: Pair | None, accepted: tuple[Accepted, ...], torch: str | None
) -> Finding:
    detail = {key: value for key, value in found.detail.items() if key != "note"}
    if pair is None:
        return replace(found, accepted=None, detail=detail)
    line = accepted[pair.line]
    note = _note(found, line, pair, torch)
    if note:
        detail["note"] = note
    reason = None if pair.how == "not accepted" else line.reason.strip() or NO_REASON
    return replace(found, accepted=reason, detail=detail)


def _note(found: Finding, line: Accepted, pair: Pair, torch: str | None) -> str:
    notes = [f"moved from {line.entry}"] if pair.how == "moved" else []
    if pair.how == "not accepted" and line.effect != found.effect:
        notes.append(f"the baseline accepts {line.effect} here, not {found.effect}")
    if line.gb not in (None, found.gb):
        before = "" if line.torch in (None, torch) else f", accepted with torch {line.torch}"
        notes.append(f"GB id changed from {line.gb} to {found.gb} with torch {torch}{before}")
    return "; ".join(notes)


def _stale(accepted: Sequence[Accepted], made: Iterable[Pair], scanned: Scanned) -> dict[int, str]:
    """Say of each stale line, by its index, why; in the order of a baseline."""
    used = {pair.line for pair in made}
    free = sorted(set(range(len(accepted))) - used, key=lambda index: order(accepted[index]))
    whys = {index: scanned.why_stale(accepted[index]) for index in free}
    return {index: why for index, why in whys.items() if why}


def _verdict(judged: Report) -> Verdict:
    new = tuple(found for found in judged.findings if found.gates and found.accepted is None)
    excused = _error_accepted(judged.findings)
    untraced = tuple(
        entry
        for entry in judged.entries
        if entry.outcome not in TRACED
        and not (entry.outcome == "error" and excused.get((entry.id, entry.platform), False))
    )
    code = 3 if untraced else int(bool(new or judged.stale))
    return Verdict(new=new, stale=judged.stale, untraced=untraced, exit_code=code)


def _error_accepted(findings: Iterable[Finding]) -> dict[tuple[str, str], bool]:
    """Say of each entry and platform that shows errors whether all of them are accepted."""
    accepted: dict[tuple[str, str], bool] = {}
    for found in findings:
        if found.gates and found.effect == "error":
            where = (found.entry, found.platform)
            accepted[where] = accepted.get(where, True) and found.accepted is not None
    return accepted
