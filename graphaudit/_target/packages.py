"""The packages of a child as an input of the audit: which are away, broken, or stood in for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphaudit._target import package_finder as finder
from graphaudit._target import package_forget as forget
from graphaudit._target import package_loaders as loaders
from graphaudit._target import package_phase as phase
from graphaudit._target import package_search as search
from graphaudit._target.package_rules import PackageNameError, Rules, checked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from types import ModuleType

__all__ = ["PackageNameError", "find_missing", "imported", "install", "seal", "stub_too"]


def install(
    *,
    without: Collection[str],
    broken: Collection[str],
    stub: Collection[str],
    present: Iterable[ModuleType] = (),
) -> None:
    """Make the process import as if packages were away, broken or there.

    To be called once torch and Dynamo are imported, and before the target is. It is about what is
    imported from then on: torch keeps what it holds, such as numpy. A second call replaces the
    first.

    Args:
        without: Modules that are not installed, by their dotted names, with all below them.
        broken: Modules that are installed and raise ImportError when they are imported.
        stub: Modules to stand in for where no real one can be imported.
        present: Modules that are importable under their names, before any that is installed. One
            that has an attribute `__installed__` gets it called at its first import. They are away
            or broken if they are named so.

    Raises:
        PackageNameError: A name is none, is given twice, or the audit itself needs the module.
    """
    rules = Rules(
        without=frozenset(without),
        broken=frozenset(broken),
        stub=frozenset(stub),
        present={module.__name__: module for module in present},
    )
    finder.put_in_place(checked(rules))
    forget.imported_already(rules)
    phase.unseal()


def stub_too(names: Iterable[str]) -> None:
    """Stand in for further modules, as `find_missing` names them."""
    rules = finder.rules_in_place()
    finder.put_in_place(checked(replace(rules, stub=rules.stub | frozenset(names))))


def seal() -> None:
    """Say that the target is imported: from now on a call of a stub raises `StubCalled`."""
    phase.seal()


def imported() -> tuple[str, ...]:
    """Give the stubs that were imported, sorted, without those below others."""
    return tuple(loaders.stubs_in_use())


def find_missing(import_target: Callable[[], object]) -> tuple[str, ...]:
    """Find what must be stood in for before the target can be imported.

    Each round imports in a copy of the process, which is thrown away, and stands in for what
    failed the one before: a library that handles the absence of another sees it absent.

    Args:
        import_target: Imports the target, and raises what that raises.

    Returns:
        The names in the order in which they were met. The target may fail nevertheless: of
        something that no stub mends.
    """
    found: list[str] = []
    while len(found) < search.MOST:
        name = search.in_copy(lambda: _culprit(import_target, found))
        if not name or name in found:
            break
        found.append(name)
    return tuple(found)


def _culprit(import_target: Callable[[], object], found: list[str]) -> str:
    stub_too(found)
    try:
        import_target()
    # whatever the target raises, SystemExit included
    except BaseException as error:  # noqa: BLE001
        return search.culprit(error, finder.rules_in_place()) or ""
    return ""
