"""How a module comes to be whose name is treated otherwise than it is found."""

from __future__ import annotations

import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, SourceFileLoader
from typing import TYPE_CHECKING, Any

from graphaudit._target import package_operators, stubs
from graphaudit._target import package_phase as phase

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class BrokenLoader(Loader):
    """Of a module that is installed and cannot be imported."""

    def exec_module(self, module: ModuleType) -> None:
        """Raise as the real module would; nothing is kept, so each import raises anew."""
        name = module.__name__
        raise ImportError(f"{name} is broken: made to fail at import by --broken", name=name)


class PresentLoader(Loader):
    """Of a module that exists already and has been waiting to be imported."""

    def __init__(self, module: ModuleType) -> None:
        """Give out this one."""
        self._module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002 - as importlib calls
        """Give the module."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Do what its first import does to the process."""
        installed = vars(module).get("__installed__")
        if installed is not None:
            installed()
            vars(module).pop("__installed__", None)


class StubLoader(Loader):
    """Of a module that a stub stands in for."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the stub."""
        return stubs.StubModule(spec.name, _topmost(spec.name))

    def exec_module(self, module: ModuleType) -> None:
        """Let its operators be stood in for as well."""
        package_operators.cover(module.__name__, _topmost(module.__name__))


class _AroundLoader(Loader):
    """Of a real module, by its real loader."""

    def __init__(self, real: Loader) -> None:
        """Load by this one."""
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create it as it would be."""
        return self._real.create_module(spec)


class FallbackLoader(_AroundLoader):
    """Of a real module; a stub takes its place if it cannot be imported."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the real module; an extension may fail here already."""
        try:
            return self._real.create_module(spec)
        # a native library may fail in any way
        except Exception:  # noqa: BLE001
            return stubs.StubModule(spec.name, _topmost(spec.name))

    def exec_module(self, module: ModuleType) -> None:
        """Execute the real module, or put a stub into its place."""
        name = module.__name__
        if not isinstance(module, stubs.StubModule):
            _restored(module, self._real)
            try:
                self._real.exec_module(module)
            # as above
            except Exception:  # noqa: BLE001
                _forget_below(name)
            else:
                return
        # what importlib gives is what stands here
        sys.modules[name] = _stub_of(name, is_native=not self._is_part(name))

    def _is_part(self, name: str) -> bool:
        """Tell whether it is a source file of a package that is there.

        The operators under the package's name are its own then: it defines them, or has none.
        """
        is_below_a_real_one = "." in name and _topmost(name) == name
        return is_below_a_real_one and isinstance(self._real, SourceFileLoader)


class LateLoader(_AroundLoader):
    """Of a module that is imported while an entry runs: its own level is no part of the entry."""

    def exec_module(self, module: ModuleType) -> None:
        """Execute it, and let it call stubs meanwhile."""
        _restored(module, self._real)
        with phase.importing():
            self._real.exec_module(module)


def stub_spec(name: str) -> ModuleSpec:
    """Give the spec of a stub: a package, with nothing below it on any disk."""
    return ModuleSpec(name, StubLoader(), origin=f"<stub of {name}>", is_package=True)


def stubs_in_use() -> Sequence[str]:
    """Give the names of stubs that were imported and stand below no other."""
    names = [name for name, module in list(sys.modules.items()) if type(module) is stubs.StubModule]
    return sorted({_topmost(name) for name in names})


def _restored(module: ModuleType, loader: Loader) -> None:
    """Name the real loader: nothing that looks at the module may find another."""
    module.__loader__ = loader
    if module.__spec__ is not None:
        module.__spec__.loader = loader


def _stub_of(name: str, *, is_native: bool) -> ModuleType:
    spec = stub_spec(name)
    stub = stubs.StubModule(name, _topmost(name))
    stub.__spec__, stub.__loader__, stub.__path__ = spec, spec.loader, []
    stub.__package__ = name
    if is_native:
        StubLoader().exec_module(stub)
    return stub


def _forget_below(name: str) -> None:
    for other in [one for one in sys.modules if one.startswith(f"{name}.")]:
        del sys.modules[other]


def _topmost(name: str) -> str:
    """Find the first of a stub's packages that is a stub."""
    parts = name.split(".")
    for end in range(1, len(parts)):
        package = ".".join(parts[:end])
        if type(sys.modules.get(package)) is stubs.StubModule:
            return package
    return name
