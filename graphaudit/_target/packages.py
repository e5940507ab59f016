"""The packages that the target finds: as installed, but for what the audit was asked to change.

One finder takes the place of all others and asks them, so that every way of asking goes by the same
answer: `import`, `find_spec`, `sys.modules`, the metadata of distributions. torch and Dynamo are
imported before, and keep what they have of a package that is taken away.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.metadata
import sys
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any, Final

from graphaudit._target import distributions
from graphaudit._target.stubs import OrStubLoader, StubLoader, StubModule, StubOperators, switch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from types import ModuleType

# without these neither a program nor its audit runs
_NEEDED: Final = frozenset({"graphaudit", "torch", "msgspec", *sys.stdlib_module_names})


class PackageError(ValueError):
    """What was asked of a package cannot be had."""


def install(
    *,
    without: Collection[str],
    broken: Collection[str],
    stub: Collection[str],
    present: Iterable[ModuleType] = (),
) -> None:
    """Change what the target finds. Called once, before the target is imported.

    Args:
        without: Packages that are not there. A name covers what is below it.
        broken: Packages that are there and fail at import.
        stub: Packages that get a stand-in where the real one is not there or fails at import.
        present: Modules that are there whatever is installed, unless named above.

    Raises:
        PackageError: A package is needed to run at all.
    """
    for name in (*without, *broken, *stub):
        if _top(name) in _NEEDED:
            raise PackageError(f"{name} has to stay as it is: nothing runs without it")
    finder = _finder()
    finder.without.update(without)
    finder.broken.update(broken)
    named = (*without, *broken)
    finder.present = {
        module.__name__: module for module in present if not _covering(module.__name__, named)
    }
    for name in list(sys.modules):
        if _covering(name, named) or _top(name) in finder.present:
            del sys.modules[name]
    stand_in_for(stub)


def stand_in_for(names: Collection[str]) -> None:
    """Add stand-ins for packages that turn out to be missing."""
    _finder().stubs.update(names)
    importlib.invalidate_caches()


def seal() -> None:
    """Let each call of a stand-in fail from now on: the target is imported."""
    switch.sealed = True


def imported() -> tuple[str, ...]:
    """Name the packages that a stand-in was really imported for."""
    stubs = (name for name, module in sys.modules.items() if isinstance(module, StubModule))
    return tuple(sorted({_covering(name, _finder().stubs) or name for name in stubs}))


def _finder() -> _Finder:
    """Give the one finder of this process."""
    for finder in sys.meta_path:
        if isinstance(finder, _Finder):
            return finder
    made = _Finder(list(sys.meta_path))
    sys.meta_path[:] = [made]
    return made


class _Finder(importlib.abc.MetaPathFinder):
    """Answers for the packages that are not as installed, and passes on the rest."""

    def __init__(self, others: list[Any]) -> None:
        self.without: set[str] = set()
        self.broken: set[str] = set()
        self.stubs: set[str] = set()
        self.present: dict[str, ModuleType] = {}
        self._others = others

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module; None where it is not there."""
        if _covering(fullname, self.without):
            return None
        if _covering(fullname, self.broken):
            return ModuleSpec(fullname, _Broken(), is_package=True)
        if fullname in self.present:
            return ModuleSpec(fullname, _Given(self.present[fullname]), is_package=True)
        stub = _covering(fullname, self.stubs)
        if stub and fullname != stub and _is_stub(fullname.rpartition(".")[0]):
            return _stub(fullname)
        real = self._real(fullname, path, target)
        if stub != fullname:
            return real
        _stub_operators(fullname)
        if real is None:
            return _stub(fullname)
        if real.loader is not None:
            real.loader = OrStubLoader(real.loader)
        return real

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context | None = None
    ) -> Iterator[importlib.metadata.Distribution]:
        """Find the metadata of what is installed."""
        asked = context or importlib.metadata.DistributionFinder.Context()
        found = (
            one
            for finder in self._others
            if hasattr(finder, "find_distributions")
            for one in finder.find_distributions(asked)
        )
        return distributions.known(found, asked, without=self.without, stubs=self.stubs)

    def invalidate_caches(self) -> None:
        """Pass it on."""
        for finder in self._others:
            if hasattr(finder, "invalidate_caches"):
                finder.invalidate_caches()

    def _real(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        for finder in self._others:
            spec: ModuleSpec | None = finder.find_spec(fullname, path, target)
            if spec is not None:
                return spec
        return None


class _Broken(importlib.abc.Loader):
    """Loads what fails, each time anew."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python: no one gets to see the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fail."""
        name = module.__name__
        raise ImportError(f"{name} is made to fail at import (--broken {name})", name=name)


class _Given(importlib.abc.Loader):
    """Loads a module that was made before."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002 - the protocol's
        """Give it."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Leave it as it is."""


def _stub(name: str) -> ModuleSpec:
    return ModuleSpec(name, StubLoader(), is_package=True)


def _is_stub(name: str) -> bool:
    return isinstance(sys.modules.get(name), StubModule)


def _stub_operators(name: str) -> None:
    """Let `torch.ops.<name>` give a stand-in for each operator that is not defined."""
    torch = sys.modules.get("torch")
    if torch is not None and "." not in name:
        namespace = getattr(torch.ops, name)
        if not isinstance(namespace, StubOperators):
            setattr(torch.ops, name, StubOperators(namespace, name))


def _covering(name: str, names: Collection[str]) -> str:
    """Give the one of `names` that `name` is or lies below; "" where none is."""
    return next((one for one in names if name == one or name.startswith(f"{one}.")), "")


def _top(name: str) -> str:
    return name.partition(".")[0]
