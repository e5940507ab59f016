"""The import system's list of finders, which tells each of them what it may find."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from importlib.metadata import DistributionFinder
from typing import TYPE_CHECKING, Any, Final

from graphaudit._target import package_loaders as loaders
from graphaudit._target import package_operators, package_serialised, stubs
from graphaudit._target import package_phase as phase
from graphaudit._target.package_metadata import SimulatedDistribution, is_gone, normalized
from graphaudit._target.package_rules import Rules, Treatment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from importlib.metadata import Distribution
    from types import ModuleType

_Context = DistributionFinder.Context
# pkgutil's own way, before ours is registered
_LISTED: Final = pkgutil.iter_importer_modules.dispatch(FileFinder)  # type: ignore[attr-defined]


class MetaPath(list[Any]):
    """A `sys.meta_path` that holds the real finders, and gives them out guarded.

    A finder that raises would tell `importlib.util.find_spec` too much, and one that gives None is
    asked after: only who hands out the finders can hide a module from all of them. So it does not
    matter either when a finder is added, and where.
    """

    def __init__(self, finders: Iterable[Any], rules: Rules) -> None:
        """Guard the finders by the rules."""
        super().__init__(finders)
        self.rules = rules
        self._front, self._back = Front(self), Back(self)

    def __iter__(self) -> Iterator[Any]:
        yield self._front
        yield from self.guarded()
        yield self._back

    def guarded(self) -> Iterator[Guarded]:
        """Give the real finders; one that was taken out of an iteration is guarded already."""
        for finder in super().__iter__():
            if isinstance(finder, Guarded):
                yield finder
            elif not isinstance(finder, Front | Back):
                yield Guarded(finder, self)

    def real_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as if nothing stood in for it."""
        for finder in self.guarded():
            find = getattr(finder, "find_spec", None)
            if find and (spec := find(name, path, target)) is not None:
                return spec  # type: ignore[no-any-return]
        return None


class Guarded:
    """A real finder that does not find what is away."""

    def __init__(self, finder: Any, meta_path: MetaPath) -> None:
        """Stand before a finder."""
        self._finder = finder
        self._meta_path = meta_path

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._finder, name)
        if name == "find_spec":
            return partial(self._spec, found)
        if name == "find_distributions":
            return partial(self._distributions, found)
        return found

    def _spec(self, find: Any, module: str, *rest: Any, **named: Any) -> Any:
        return None if self._hides(module) else find(module, *rest, **named)

    def _distributions(self, find: Any, *context: Any, **named: Any) -> Iterator[Distribution]:
        rules = self._meta_path.rules
        return (one for one in find(*context, **named) if not is_gone(one, rules))

    def _hides(self, module: str) -> bool:
        treatment = self._meta_path.rules.treatment(module)
        return treatment in (Treatment.WITHOUT, Treatment.PRESENT)


class Front(MetaPathFinder):
    """Asked before all others: what is broken, what is present, what may need a stub."""

    def __init__(self, meta_path: MetaPath) -> None:
        """Answer by the rules of the list."""
        self._meta_path = meta_path

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module that is not to be imported just as it is."""
        treatment = self._meta_path.rules.treatment(name)
        if treatment is Treatment.WITHOUT:
            return None
        if treatment is Treatment.PRESENT:
            return self._present(name)
        if treatment is None and not (phase.is_sealed() and self._meta_path.rules.stub):
            return None
        spec = self._meta_path.real_spec(name, path, target)
        if treatment is Treatment.BROKEN:
            return _broken(name, spec)
        return _with_loader(spec, treatment)

    def find_distributions(self, context: _Context) -> Iterator[Distribution]:
        """Give those of the modules that are present."""
        rules = self._meta_path.rules
        for name, module in rules.present.items():
            if _asked(context, name) and rules.treatment(name) is not Treatment.WITHOUT:
                yield SimulatedDistribution(name, str(getattr(module, "__version__", "0.0.0")))

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """Give, to pkgutil, the modules at the top that no folder holds."""
        rules = self._meta_path.rules
        for name in sorted({*rules.present, *rules.broken, *rules.stub}):
            here = rules.treatment(name) is not Treatment.WITHOUT
            if here and "." not in name:
                yield prefix + name, name in rules.stub or _is_package(name, rules)

    def _present(self, name: str) -> ModuleSpec | None:
        rules = self._meta_path.rules
        module = rules.present.get(name)
        if module is None:
            return None
        loader = loaders.PresentLoader(module)
        return ModuleSpec(name, loader, origin="simulated", is_package=_is_package(name, rules))


class Back(MetaPathFinder):
    """Asked after all others: stubs of what nobody found."""

    def __init__(self, meta_path: MetaPath) -> None:
        """Answer by the rules of the list."""
        self._meta_path = meta_path

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None,  # noqa: ARG002 - as importlib calls
        target: ModuleType | None = None,  # noqa: ARG002 - as importlib calls
    ) -> ModuleSpec | None:
        """Find a stub."""
        is_stub = self._meta_path.rules.treatment(name) is Treatment.STUB
        return loaders.stub_spec(name) if is_stub else None

    def find_distributions(self, context: _Context) -> Iterator[Distribution]:
        """Give those of stubs that have no real one."""
        for name in sorted(self._meta_path.rules.stub):
            if "." not in name and _asked(context, name) and self._answers(name):
                yield SimulatedDistribution(name, stubs.VERSION)

    def _answers(self, name: str) -> bool:
        if type(sys.modules.get(name)) is not stubs.StubModule:
            return self._meta_path.real_spec(name, None) is None
        return not any(
            True
            for finder in self._meta_path.guarded()
            for _ in getattr(finder, "find_distributions", lambda _: ())(_Context(name=name))
        )


def put_in_place(rules: Rules) -> None:
    """Make the process import by these rules; earlier ones no longer hold."""
    current = sys.meta_path
    finders = current[:] if isinstance(current, MetaPath) else list(current)
    sys.meta_path = MetaPath(finders, rules)
    importlib.invalidate_caches()
    pkgutil.iter_importer_modules.register(FileFinder, _listed)  # type: ignore[attr-defined]
    if rules.stub:
        package_operators.let_registrations_dangle()
        package_serialised.as_text()


def rules_in_place() -> Rules:
    """Give the rules that the process imports by."""
    current = sys.meta_path
    return current.rules if isinstance(current, MetaPath) else Rules()


def _listed(importer: FileFinder, prefix: str = "") -> Iterator[tuple[str, bool]]:
    """Give, to pkgutil, the modules of a folder without those that are away."""
    rules = rules_in_place()
    packages = [name for name in (_parent(one) for one in rules.without) if name]
    for name, is_package in _LISTED(importer, prefix):
        last = name[len(prefix) :]
        owners = ["" for one in sys.path if one == importer.path]
        owners += [f"{one}." for one in packages if importer.path in _path_of(one)]
        if not any(rules.treatment(f"{one}{last}") is Treatment.WITHOUT for one in owners):
            yield name, is_package


def _parent(name: str) -> str:
    return name.rpartition(".")[0]


def _path_of(package: str) -> Sequence[str]:
    return list(getattr(sys.modules.get(package), "__path__", ()))


def _broken(name: str, real: ModuleSpec | None) -> ModuleSpec:
    origin = real.origin if real else None
    is_package = real is not None and real.submodule_search_locations is not None
    spec = ModuleSpec(name, loaders.BrokenLoader(), origin=origin, is_package=is_package)
    if real is not None:
        spec.submodule_search_locations = real.submodule_search_locations
    return spec


def _with_loader(spec: ModuleSpec | None, treatment: Treatment | None) -> ModuleSpec | None:
    # a folder without `__init__.py` runs nothing that could fail
    if spec is None or spec.loader is None:
        return spec
    if treatment is Treatment.STUB:
        spec.loader = loaders.FallbackLoader(spec.loader)
    elif isinstance(spec.loader, SourceFileLoader):
        spec.loader = loaders.LateLoader(spec.loader)
    return spec


def _asked(context: _Context, name: str) -> bool:
    return context.name is None or normalized(context.name) == normalized(name)


def _is_package(name: str, rules: Rules) -> bool:
    return any(other.startswith(f"{name}.") for other in rules.present)
