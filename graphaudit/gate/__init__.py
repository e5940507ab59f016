"""The verdict: a report held against a baseline.

The baseline changes no outcome and removes no finding. It gives a finding the reason why it is
accepted, and sometimes a note (`detail["note"]`, which belongs to this stage alone); its own lines
that nothing needs any more go to `report.stale`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from graphaudit.gate.entry_ids import base, covers, file_of
from graphaudit.gate.pairing import order, pairs
from graphaudit.gate.renewal import accept, renew
from graphaudit.model import Accepted, Entry, Finding, Report, Stale, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.gate.pairing import Pair

NO_REASON: Final = "no reason given"
SITE_GONE: Final = "the site is gone"
ENTRY_GONE: Final = "the entry is gone"

_TRACED: Final = frozenset({"clean", "breaks"})


def judge(report: Report, accepted: tuple[Accepted, ...]) -> tuple[Report, Verdict]:
    """Say what is accepted, what is new, and which lines of the baseline are stale.

    A report that was judged before is judged afresh.

    Returns:
        The report with `accepted`, notes and `stale` filled in, and the verdict. Its `untraced`
        are the entries that ended in an error, a time limit or a crash, but for those whose error
        is itself accepted; its `exit_code` is 3 if there are any, else 1 if anything is new or
        stale, else 0.
    """
    made = pairs(report, accepted)
    by_finding = {pair.finding: pair for pair in made}
    findings = tuple(
        _marked(found, by_finding.get(index), accepted, report.environment.torch)
        for index, found in enumerate(report.findings)
    )
    whys = _stale(report, accepted, made)
    stale = tuple(Stale(line=accepted[index], why=why) for index, why in whys.items())
    judged = replace(report, findings=findings, stale=stale)
    return judged, _verdict(judged)


def renewed(report: Report, accepted: tuple[Accepted, ...], *, reason: str) -> tuple[Accepted, ...]:
    """Give the baseline that accepts what `report` shows.

    Lines that are still needed keep their reasons, and those that this run cannot judge stay; stale
    ones go. A site that moved, got worse or changed its GB id keeps its reason under its new state.
    What is new gets a line for the platform that showed it, with `reason`.
    """
    torch = report.environment.torch
    made = pairs(report, accepted)
    stale = _stale(report, accepted, made)
    shown = _shown(report, made)
    paired = {pair.finding for pair in made}
    lines: list[Accepted] = []
    for index, line in enumerate(accepted):
        if index not in stale:
            lines.extend(renew(line, shown[index], torch))
    lines.extend(
        accept(found, torch, reason=reason)
        for index, found in enumerate(report.findings)
        if found.gates and index not in paired
    )
    # Again: a `*` line that was widened for one platform may make another line needless.
    stale = _stale(report, lines, pairs(report, lines))
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


def _stale(report: Report, accepted: Sequence[Accepted], made: tuple[Pair, ...]) -> dict[int, str]:
    """Say of each stale line, by its index, why; in the order of a baseline."""
    if report.environment.without or report.environment.stubs:
        return {}
    used = {pair.line for pair in made}
    free = sorted(set(range(len(accepted))) - used, key=lambda index: order(accepted[index]))
    whys = {index: _why_stale(accepted[index], report) for index in free}
    return {index: why for index, why in whys.items() if why}


def _why_stale(line: Accepted, report: Report) -> str:
    """Say why a line that stands for no finding is stale; empty if this run cannot tell."""
    same = [entry for entry in report.entries if base(entry.id) == base(line.entry)]
    if same:
        answers = _answers(line, same)
        gone = bool(answers) and all(entry.outcome in _TRACED for entry in answers)
        return SITE_GONE if gone else ""
    known = map(base, report.scope.entries)
    gone = base(line.entry) not in known and covers(report.scope, file_of(line.entry))
    return ENTRY_GONE if gone else ""


def _answers(line: Accepted, same: list[Entry]) -> list[Entry]:
    """Give the entries whose traces can show the line's site.

    On a platform that does not have the line's very input, all inputs of its factory count: their
    number changed, or the factory failed before it gave any.
    """
    there = [entry for entry in same if line.platform in ("*", entry.platform)]
    exact = {entry.platform for entry in there if entry.id == line.entry}
    return [entry for entry in there if entry.id == line.entry or entry.platform not in exact]


def _verdict(judged: Report) -> Verdict:
    new = tuple(found for found in judged.findings if found.gates and found.accepted is None)
    untraced = tuple(
        entry
        for entry in judged.entries
        if entry.outcome not in _TRACED and not _error_accepted(entry, judged)
    )
    code = 3 if untraced else int(bool(new or judged.stale))
    return Verdict(new=new, stale=judged.stale, untraced=untraced, exit_code=code)


def _error_accepted(entry: Entry, judged: Report) -> bool:
    errors = [
        found
        for found in judged.findings
        if (found.entry, found.platform) == (entry.id, entry.platform)
        and found.gates
        and found.effect == "error"
    ]
    accepted = bool(errors) and all(found.accepted is not None for found in errors)
    return entry.outcome == "error" and accepted
