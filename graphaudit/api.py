"""The one place that knows the order of the stages."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from graphaudit import collect, explain, gate, pairs, surroundings, trace
from graphaudit.choice import choose, nowhere
from graphaudit.discover import COMPARE
from graphaudit.model import (
    AS_INSTALLED,
    DEEPEST,
    Comparison,
    Depth,
    Discovery,
    Environment,
    Packages,
    Report,
    Scope,
)
from graphaudit.variants import Run, further

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from graphaudit.model import Accepted, Verdict


def scan(  # noqa: PLR0913 - what can be asked of a scan, each by its name
    paths: Sequence[str],
    *,
    root: Path,
    keyword: str | None = None,
    only: Sequence[str] = (),
    jobs: int,
    timeout_s: float,
    depth: Depth = DEEPEST,
    platforms: Sequence[str] = (),
    packages: Packages = AS_INSTALLED,
    roots: Sequence[str] = (),
    on_progress: Callable[[trace.Progress], None],
) -> Report:
    """Trace the entries in `paths` and say what breaks, before any baseline.

    Args:
        paths: Files and folders.
        root: The folder that paths in the report are relative to.
        keyword: Which entries to trace, as with `-k`; all without one.
        only: Entries to trace, as `path::name`; all where none is named.
        jobs: Children at a time.
        timeout_s: The longest time that one entry may take.
        depth: How far to look beyond what stock Dynamo shows.
        platforms: To simulate, as with `--platform`; the machine's own where none is named.
        packages: Which packages the entries find.
        roots: Installed packages that count as the user's own code.
        on_progress: Told what goes on.

    Raises:
        SettingError: A platform is unknown, or cannot be simulated here.
        NoEntries: There is no entry in `paths`, none that `keyword` selects, one of `only` is not
            there, or none is for this machine.
        KeywordError: `keyword` is malformed.
        PathError: One of `paths` cannot be scanned.
    """
    settings = surroundings.settings(platforms, packages)
    chosen = choose(paths, root=root, keyword=keyword, only=only)
    found = trace.trace(
        chosen.discovery.entries,
        trace.How(root=root, timeout_s=timeout_s, depth=depth, roots=tuple(roots)),
        jobs=jobs,
        settings=settings,
        on_progress=on_progress,
    )
    if not found.traces and not chosen.discovery.unreadable:
        raise nowhere(found.notes)
    return explain.explain(
        collect.collect(found.traces, found.places),
        discovery=chosen.discovery,
        environment=_environment(found, packages, **_options(depth)),
        scope=Scope(paths=chosen.paths, entries=chosen.ids, keyword=keyword, only=chosen.named),
        platforms=found.platforms,
        notes=found.notes,
    )


def compare(  # noqa: PLR0913 - what can be asked of a comparison, each by its name
    paths: Sequence[str],
    *,
    root: Path,
    keyword: str | None = None,
    only: Sequence[str] = (),
    jobs: int,
    timeout_s: float,
    platforms: Sequence[str] = (),
    packages: Packages = AS_INSTALLED,
    roots: Sequence[str] = (),
    on_progress: Callable[[trace.Progress], None],
) -> Comparison:
    """Compare the two forms of each pair in `paths`, with packages in all states that matter to it.

    Args:
        paths: Files and folders.
        root: The folder that paths in the result are relative to.
        keyword: Which pairs to compare, as with `-k`; all without one.
        only: Pairs to compare, as `path::name`; all where none is named.
        jobs: Children at a time.
        timeout_s: The longest time that one pair may take.
        platforms: To simulate, as with `--platform`; the machine's own where none is named.
        packages: Which packages the pairs find; one that is named stays in that state.
        roots: Installed packages that count as the user's own code.
        on_progress: Told what goes on.

    Raises:
        SettingError: A platform is unknown, or cannot be simulated here.
        NoEntries: There is no pair in `paths`, none that `keyword` selects, one of `only` is not
            there, or none is for this machine.
        KeywordError: `keyword` is malformed.
        PathError: One of `paths` cannot be searched.
    """
    settings = surroundings.settings(platforms, packages)
    chosen = choose(paths, root=root, keyword=keyword, only=only, prefix=COMPARE).discovery
    how = trace.How(root=root, timeout_s=timeout_s, kind="compare", roots=tuple(roots))

    def traced(run: Run) -> trace.Traces:
        return trace.trace(
            run.entries, how, jobs=jobs, settings=run.settings, on_progress=on_progress
        )

    first = Run(entries=chosen.entries, settings=settings)
    found = traced(first)
    if not found.traces and not chosen.unreadable:
        raise nowhere(found.notes)
    runs = [(first, found)]
    runs += [(run, traced(run)) for run in further(first, found.traces, asked=packages)]
    reports = [_of_pairs(run, one, chosen if run is first else Discovery()) for run, one in runs]
    return pairs.together(reports, _environment(found, packages))


def judge(report: Report, accepted: tuple[Accepted, ...]) -> tuple[Report, Verdict]:
    """Hold a report against the lines of a baseline."""
    return gate.judge(report, accepted)


def accept(
    report: Report, accepted: tuple[Accepted, ...], *, reason: str = gate.NO_REASON
) -> tuple[Accepted, ...]:
    """Give the lines of a baseline that accepts what a report shows, the old reasons kept."""
    return gate.renewed(report, accepted, reason=reason)


def _options(depth: Depth) -> dict[str, bool]:
    """Name what was left out of a scan."""
    return {name: asked for name, asked in asdict(depth).items() if not asked}


def _of_pairs(run: Run, found: trace.Traces, discovery: Discovery) -> pairs.PairReport:
    collected = collect.collect(found.traces, found.places)
    report = explain.explain(
        collected,
        discovery=discovery,
        environment=found.environment,
        platforms=found.platforms,
        notes=found.notes,
    )
    return pairs.report(collected, report, run.packages)


def _environment(found: trace.Traces, packages: Packages, **options: bool) -> Environment:
    """Say what the traces ran on, and what was asked for."""
    return replace(
        found.environment, options=options, without=packages.without, broken=packages.broken
    )
