"""Comparing: traces of two forms become pairs, each with what does not hold.

Pure: records in, records out. The eager form is what is to be replaced: it may break. A pair holds
where the safe form traces in one graph, answers as the eager form does, and where its compiled code
answers as its eager code does, also after each change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, get_args

from graphaudit.model import (
    APART,
    Answer,
    ComparedForm,
    ComparedPair,
    Comparison,
    Entry,
    Finding,
    Form,
    FormName,
    Later,
    PackageState,
    PairOutcome,
    Report,
    Trace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphaudit.model import Environment, FullgraphVerdict

_ENDS: Final = tuple(f"[{name}]" for name in get_args(FormName))
_UNTRACED: Final[frozenset[PairOutcome]] = frozenset({"error", "timeout", "crashed"})

Packages = dict[str, PackageState]
_Member = tuple[Entry, Form | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReport:
    """What one run of pairs gave."""

    pairs: tuple[ComparedPair, ...]
    findings: tuple[Finding, ...]
    stubs: tuple[str, ...]
    notes: tuple[str, ...]


def report(traces: Sequence[Trace], explained: Report, packages: Packages) -> PairReport:
    """Put the forms of each pair together.

    Args:
        traces: Of forms, out of `collect`; a pair that could not be compared has one without form.
        explained: What `explain` makes of them.
        packages: What this run was made with, of what pairs depend on.
    """
    forms = {(trace.entry.id, trace.platform): trace.form for trace in traces}
    members: dict[tuple[str, str], list[_Member]] = {}
    for entry in explained.entries:
        form = forms.get((entry.id, entry.platform))
        key = _without_form(entry.id), entry.platform
        members.setdefault(key, []).append((entry, form))
    return PairReport(
        pairs=tuple(
            _pair(ident, group, explained.findings, packages)
            for (ident, _), group in members.items()
        ),
        findings=tuple(_labelled(found, packages) for found in explained.findings),
        stubs=explained.environment.stubs,
        notes=explained.notes,
    )


def together(reports: Sequence[PairReport], environment: Environment) -> Comparison:
    """Make one comparison of several runs."""
    pairs = [pair for one in reports for pair in one.pairs]
    stubs = {name for one in reports for name in one.stubs}
    return Comparison(
        environment=replace(environment, stubs=tuple(sorted(stubs))),
        pairs=tuple(sorted(pairs, key=_order)),
        findings=tuple(found for one in reports for found in one.findings),
        notes=tuple(dict.fromkeys(note for one in reports for note in one.notes)),
    )


def _without_form(ident: str) -> str:
    return next((ident.removesuffix(end) for end in _ENDS if ident.endswith(end)), ident)


def _order(pair: ComparedPair) -> tuple[str, int, str]:
    return pair.path, pair.line, pair.id


def _labelled(found: Finding, packages: Packages) -> Finding:
    """Say in which state packages were that are not as they are found."""
    return replace(found, detail={**found.detail, "packages": packages}) if packages else found


def exit_code(comparison: Comparison) -> int:
    """Give 3 where a pair could not be compared, else 1 where one does not hold, else 0."""
    outcomes = {pair.outcome for pair in comparison.pairs}
    return 3 if outcomes & _UNTRACED else 1 if outcomes - {"holds"} else 0


def _pair(
    ident: str, members: Sequence[_Member], findings: Sequence[Finding], packages: Packages
) -> ComparedPair:
    first = members[0][0]
    made = {form.name: (entry, form) for entry, form in members if form}
    eager = _form(*made["eager"], findings) if "eager" in made else None
    safe = _form(*made["safe"], findings) if "safe" in made else None
    agree = bool(made) and all(form.agrees for _, form in made.values())
    if eager and safe:
        outcome, message = next(_faults(eager, safe, agree=agree), ("holds", ""))
    else:
        outcome, message = _lost(members)
    known = next((form.packages for _, form in members if form), packages)
    return ComparedPair(
        id=ident,
        path=first.path,
        line=first.line,
        platform=first.platform,
        packages=dict(known),
        outcome=outcome,
        message=message,
        agree=agree,
        eager=eager,
        safe=safe,
    )


def _lost(members: Sequence[_Member]) -> tuple[PairOutcome, str]:
    """Say why a pair could not be compared."""
    entry = next(entry for entry, form in members if form is None)
    match entry.outcome:
        case "timeout" | "crashed" as outcome:
            return outcome, entry.message
        case _:
            return "error", entry.message


def _form(entry: Entry, form: Form, findings: Sequence[Finding]) -> ComparedForm:
    stops = entry.fullgraph
    rule = next(
        (
            found.rule
            for found in findings
            if (found.entry, found.platform) == (entry.id, entry.platform)
            and (found.gb, found.line) == (stops.gb, stops.line)
        ),
        None,
    )
    return ComparedForm(
        answer=form.answer,
        compiled=form.compiled,
        same=form.same,
        apart=form.apart,
        nanoseconds=form.nanoseconds,
        fullgraph=stops,
        rule=rule,
        reached=form.reached,
        later=form.later,
    )


def _faults(
    eager: ComparedForm, safe: ComparedForm, *, agree: bool
) -> Iterator[tuple[PairOutcome, str]]:
    """Say what does not hold, the worst first."""
    if not agree:
        told = f"eager {_does(eager.answer)}, safe {_does(safe.answer)}"
        yield "differs", f"{told}{_apart(safe)}"
    if not safe.fullgraph.ok and not safe.answer.raised:
        name, where = what_stops(safe.fullgraph)
        yield "breaks", f"safe does not trace in one graph: {name}{where}"
    if not safe.same:
        told = f"{_does(safe.compiled)}, where it {_does(safe.answer)} in eager{_apart(safe)}"
        yield "differs", f"safe, compiled, {told}"
    for later in safe.later:
        if later.following in APART:
            yield "differs", f"safe, compiled, {_after(later)}"


def what_stops(verdict: FullgraphVerdict) -> tuple[str, str]:
    """Name what keeps a form from one graph, and say where, if that is known: ` at a.py:7`."""
    where = f" at {verdict.path}:{verdict.line}" if verdict.path else ""
    return verdict.gb or verdict.gb_type or "an error", where


def _does(answer: Answer) -> str:
    return f"{'raises' if answer.raised else 'gives'} {answer.text}"


def _apart(form: ComparedForm) -> str:
    return f": they differ {form.apart}" if form.apart else ""


def _after(later: Later) -> str:
    return f'{_does(later.compiled)} after "{later.change}", where eager {_does(later.eager)}'
