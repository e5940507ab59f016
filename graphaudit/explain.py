"""Explaining: sites become findings, with a rule, a cause, a fix, and whether they gate.

Pure: records in, a report out. The gate's answer to the report comes later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graphaudit._paths import is_library, library_name
from graphaudit.eager import eager_lines, ops_behind
from graphaudit.fingerprint import fingerprint
from graphaudit.model import (
    GATING_EFFECTS,
    Break,
    Discovery,
    Entry,
    Environment,
    Finding,
    LibraryFrame,
    Outcome,
    Report,
    Scope,
    Trace,
    Unreadable,
)
from graphaudit.rules import rule_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.rules._rule import Rule

EVERYTHING: Final = Scope()


def explain(
    traces: Sequence[Trace],
    *,
    discovery: Discovery,
    environment: Environment,
    scope: Scope = EVERYTHING,
    platforms: Sequence[str] = ("cpu",),
    notes: Sequence[str] = (),
) -> Report:
    """Say what the sites mean.

    Args:
        traces: With sites, out of `collect`.
        discovery: For what was not traced.
        environment: What the traces ran on.
        scope: What the run looked at.
        platforms: Where entries stand that no child got to see.
        notes: Anything else the reader must know.
    """
    findings = [_finding(trace, found) for trace in traces for found in trace.breaks]
    entries = [_entry(trace) for trace in traces] + [
        _unread(one, platform) for one in discovery.unreadable for platform in platforms
    ]
    lost = {f"torch {environment.torch}: {loss}" for trace in traces for loss in trace.losses}
    told = [f"{trace.entry.id}: {note}" for trace in traces for note in trace.notes]
    return Report(
        environment=environment,
        entries=tuple(sorted(entries, key=_entry_order)),
        findings=tuple(sorted(findings, key=_finding_order)),
        uncovered=discovery.uncovered,
        scope=scope,
        notes=(*sorted(lost), *sorted([*told, *notes])),
    )


def _entry_order(entry: Entry) -> tuple[str, int, str, str]:
    return entry.path, entry.line, entry.id, entry.platform


def _finding_order(found: Finding) -> tuple[Any, ...]:
    below = (found.library.path, found.library.line) if found.library else ("", 0)
    place = (found.path, found.line, found.column or 0)
    return (*place, found.entry, found.platform, found.gb or "", found.gb_type, *below)


def _entry(trace: Trace) -> Entry:
    return Entry(
        id=trace.entry.id,
        path=trace.entry.path,
        line=trace.entry.line,
        platform=trace.platform,
        gate=trace.gate,
        outcome=_outcome(trace),
        message=trace.message,
        fullgraph=trace.fullgraph,
        graphs=trace.graphs,
        ops=_ops(trace),
        eager_at=eager_lines(trace.coverage) if trace.coverage else (),
        complete=trace.complete,
        stopped_at=trace.stopped_at,
        seconds=round(trace.seconds, 3),
    )


def _ops(trace: Trace) -> dict[str, int] | None:
    counted = trace.coverage
    return {"in_graph": counted.in_graph, "eager": counted.eager} if counted else None


def _outcome(trace: Trace) -> Outcome:
    if trace.failure is not None:
        return trace.failure
    return "breaks" if any(_gates(trace, found) for found in trace.breaks) else "clean"


def _unread(one: Unreadable, platform: str) -> Entry:
    message = f"{one.entry.path}: {one.message}"
    failed = Trace(entry=one.entry, platform=platform, failure="error", message=message)
    return _entry(failed)


def _gates(trace: Trace, found: Break) -> bool:
    if found.effect not in GATING_EFFECTS or not found.confirmed:
        return False
    return found.fullgraph if trace.gate == "fullgraph" else True


def _finding(trace: Trace, found: Break) -> Finding:
    rule = rule_for(found)
    root = found.causes[0]
    site = found.site
    return Finding(
        rule=rule.id,
        entry=trace.entry.id,
        platform=trace.platform,
        input=found.input,
        verdict=found.verdict,
        gates=_gates(trace, found),
        accepted=None,
        path=site.path,
        line=site.line,
        end_line=site.end_line,
        column=site.column,
        qualname=site.qualname,
        source=site.source,
        gb=root.gb,
        chain=tuple(cause.gb for cause in found.causes if cause.gb),
        gb_type=root.gb_type,
        effect=found.effect,
        seen_by=found.seen_by,
        confirmed=found.confirmed,
        invented_data=trace.fake,
        why=rule.why_for(found),
        fix=rule.fix_for(found),
        who=_who(found, rule),
        count=found.count,
        fingerprint=fingerprint(site.qualname, site.source, rule.id),
        detail=_detail(trace, found),
        library=LibraryFrame(path=found.library.path, line=found.library.line)
        if found.library
        else None,
    )


def _detail(trace: Trace, found: Break) -> dict[str, Any]:
    root = found.causes[0]
    detail: dict[str, Any] = {
        "dynamo": {"context": root.context, "explanation": root.explanation},
        "indent": found.site.indent,
    }
    if trace.coverage and found.effect in GATING_EFFECTS:
        detail["eager_ops"] = ops_behind(found, trace.coverage)
    if found.warm:
        detail["warm"] = True
    if found.secondary:
        detail["secondary"] = True
    if trace.gate == "fullgraph" and not found.fullgraph:
        detail["capture"] = "passes under fullgraph, which captures scalars and dynamic shapes"
    return detail


def _who(found: Break, rule: Rule) -> str:
    if rule.name == "internal_error" or found.causes[0].gb_type == "InternalTorchDynamoError":
        return "torch"
    if is_library(found.site.path):
        return library_name(found.site.path)
    return "you" if found.library is None else f"you, or {library_name(found.library.path)}"
