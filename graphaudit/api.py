"""The one place that knows the order of the stages."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

from graphaudit import collect, discover, explain, gate, surroundings, trace
from graphaudit.errors import NoEntries
from graphaudit.model import AS_INSTALLED, DEEPEST, Depth, Discovery, Packages, Report, Scope
from graphaudit.selection import matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from graphaudit.model import Accepted, Verdict

_EXAMPLE: Final = """\
no entry point in {paths}: write one beside your code, in any scanned file, and scan again:

    import torch

    from my_package import forward

    def audit_forward():
        return forward, (torch.randn(4, 16),)

Its name starts with audit_, it takes no parameters, and it names no device."""
_MOST: Final = 10


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
    selects = matcher(keyword) if keyword is not None else None
    everything = discover.find(paths, root=root)
    ids = _ids(everything)
    if not ids:
        raise NoEntries(_nothing(paths, everything))
    named = _named(only, ids, root)
    chosen = _chosen(everything, lambda ident: ident in named) if named else everything
    chosen = chosen if selects is None else _chosen(chosen, selects)
    if not _ids(chosen):
        raise NoEntries(_unselected(keyword, ids))
    scanned = sorted({discover.scanned_path(path, root) for path in paths})
    found = trace.trace(
        chosen.entries,
        trace.How(root=root, timeout_s=timeout_s, depth=depth, roots=tuple(roots)),
        jobs=jobs,
        settings=settings,
        on_progress=on_progress,
    )
    if not found.traces and not chosen.unreadable:
        raise NoEntries(_elsewhere(found))
    return explain.explain(
        collect.collect(found.traces, found.places),
        discovery=chosen,
        environment=replace(
            found.environment,
            options=_options(depth),
            without=packages.without,
            broken=packages.broken,
        ),
        scope=Scope(paths=tuple(scanned), entries=ids, keyword=keyword, only=named),
        platforms=found.platforms,
        notes=found.notes,
    )


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


def _ids(discovery: Discovery) -> tuple[str, ...]:
    """Give the ids of all entries, also of those in files that cannot be read."""
    unreadable = [one.entry for one in discovery.unreadable]
    return tuple(sorted({entry.id for entry in [*discovery.entries, *unreadable]}))


def _named(only: Sequence[str], ids: Sequence[str], root: Path) -> tuple[str, ...]:
    """Give the ids of the entries that are asked for by name."""
    found = []
    for place in only:
        path, _, name = place.partition("::")
        ident = f"{discover.scanned_path(path, root)}::{name}"
        if ident not in ids:
            there = [
                one.partition("::")[2] for one in ids if one.startswith(f"{ident[: -len(name)]}")
            ]
            raise NoEntries(f"{path} has no entry {name}; it has {', '.join(there) or 'none'}.")
        found.append(ident)
    return tuple(dict.fromkeys(found))


def _chosen(everything: Discovery, selects: Callable[[str], bool]) -> Discovery:
    """Leave out the entries that are not selected."""
    return replace(
        everything,
        entries=tuple(entry for entry in everything.entries if selects(entry.id)),
        unreadable=tuple(one for one in everything.unreadable if selects(one.entry.id)),
    )


def _elsewhere(found: trace.Traces) -> str:
    """Say that no entry is meant for this machine, or for the platforms that were asked for."""
    listed = _list("Its .platforms leaves out each entry:", [f"    {note}" for note in found.notes])
    return "\n".join(["nothing can be traced here.", *listed])


def _nothing(paths: Sequence[str], discovery: Discovery) -> str:
    """Say what to write, and where it would be of use."""
    by_kind: dict[str, list[str]] = {"site": [], "unread": []}
    for one in discovery.uncovered:
        by_kind[one.kind].append(f"    {one.path}:{one.line}: {one.what}")
    unread = _list("These could not be looked at:", by_kind["unread"])
    sites = _list("These places could have one:", by_kind["site"])
    return "\n\n".join([_EXAMPLE.format(paths=", ".join(paths)), *unread, *sites])


def _unselected(keyword: str | None, ids: Sequence[str]) -> str:
    """Say what could have been selected."""
    listed = _list("The entries are:", [f"    {ident}" for ident in ids])
    return "\n".join([f"-k {keyword!r} selects no entry.", *listed])


def _list(heading: str, lines: Sequence[str]) -> list[str]:
    """Give a heading with the first lines under it; nothing where there are no lines."""
    if not lines:
        return []
    more = len(lines) - _MOST
    rest = [f"    and {more} more"] if more > 0 else []
    return ["\n".join([heading, *lines[:_MOST], *rest])]
