"""Which further runs pairs need: those in which a package that they depend on is otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from graphaudit.model import AS_INSTALLED, EntryPoint, Packages, PackageState, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphaudit.model import Trace

_STATES: Final[tuple[PackageState, ...]] = ("absent", "broken", "stubbed")
_OPTIONS: Final = {"absent": "without", "broken": "broken", "stubbed": "stub"}
# a package that is there is not stood in for
_THERE: Final = ("present", "stubbed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Pairs to compare in some settings."""

    entries: tuple[EntryPoint, ...]
    settings: tuple[Setting, ...]
    packages: dict[str, PackageState] = field(default_factory=dict)  # not as they are found


def further(
    first: Run, traces: Sequence[Trace], *, asked: Packages = AS_INSTALLED
) -> Iterator[Run]:
    """Give a run for each package and each state that it was not found in.

    Args:
        first: The run with packages as they are found.
        traces: What it gave.
        asked: Packages that are in a state that was asked for, and stay in it.
    """
    found = {
        (trace.entry.path, trace.entry.line, trace.platform): trace.form.packages
        for trace in traces
        if trace.form
    }
    named = dict.fromkeys(name for packages in found.values() for name in packages)
    for package in sorted(named.keys() - {*asked.without, *asked.broken, *asked.stub}):
        for state in _STATES:
            other = [
                key
                for key, packages in found.items()
                if package in packages and not _covers(packages[package], state)
            ]
            if other:
                yield _run(first, other, package, state)


def _run(
    first: Run, found: Sequence[tuple[str, int, str]], package: str, state: PackageState
) -> Run:
    places = {(path, line) for path, line, _ in found}
    platforms = {platform for _, _, platform in found}
    return Run(
        entries=tuple(one for one in first.entries if (one.path, one.line) in places),
        settings=tuple(
            _varied(setting, package, state)
            for setting in first.settings
            if setting.platform in platforms or not setting.platform
        ),
        packages={package: state},
    )


def _covers(found: PackageState, state: PackageState) -> bool:
    return found == state or (state == "stubbed" and found in _THERE)


def _varied(setting: Setting, package: str, state: PackageState) -> Setting:
    """Give the same setting with one package in another state."""
    asked = setting.packages
    kept = {
        name: tuple(one for one in getattr(asked, name) if one != package)
        for name in _OPTIONS.values()
    }
    kept[_OPTIONS[state]] += (package,)
    return replace(setting, packages=Packages(auto=asked.auto, **kept))
