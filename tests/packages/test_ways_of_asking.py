"""Every way of asking for a package, and each treatment: all of them must tell the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.packages.worlds import run, write_package

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import importlib, importlib.metadata as metadata, pkgutil
from importlib.util import find_spec
from types import ModuleType

import away.sub, at_once  # before anything is said
vendor = ModuleType("vendor"); vendor.part = 5; vendor.__version__ = "3.0"
calls = []
vendor.__installed__ = lambda: calls.append(1)
packages.install(
    without=["away", "partly.gone"],
    broken=["broke", "broke_nowhere"],
    stub=["stubbed", "has_real", "fails",],
    present=[vendor],
)

def tried(ask):
    try:
        return str(ask())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def with_statement(text):
    space = {}
    exec(text, space)
    return space.get("found", "fine")

def named(name):
    try:
        importlib.import_module(name)
    except ImportError as error:
        return error.name

for name, distribution in NAMES.items():
    told[name] = {
        "sys.modules": str(name in sys.modules),
        "find_spec": tried(lambda: find_spec(name) is not None),
        "listed": str(name.partition(".")[0] in {one.name for one in pkgutil.iter_modules()}),
        "version": tried(lambda: metadata.version(distribution)),
        "import": tried(lambda: with_statement(f"import {name}")),
        "import_module": tried(lambda: importlib.import_module(name).__name__),
        "from": tried(lambda: with_statement(f"from {name} import part as found")),
        "below": tried(lambda: with_statement(f"import {name}.sub")),
        "again": tried(lambda: with_statement(f"import {name}")),
        "find_spec after": tried(lambda: find_spec(name) is not None),
        "error": tried(lambda: named(name)),
    }
told["all distributions"] = sorted(
    name for name in {one.metadata["Name"] for one in metadata.distributions()} if name in OURS
)
told["providers"] = {
    name: one for name, one in metadata.packages_distributions().items() if name in NAMES
}
told["installed"] = len(calls), hasattr(vendor, "__installed__")
told["used"] = packages.imported()
told["still real"] = [at_once.VALUE, importlib.import_module("partly.here").VALUE]
told["below a package"] = [one.name for one in pkgutil.iter_modules(
    importlib.import_module("partly").__path__)]
"""
NAMES = {
    "away": "away-4",
    "partly.gone": "partly",
    "broke": "broke",
    "broke_nowhere": "broke-nowhere",
    "stubbed": "stubbed",
    "has_real": "has-real",
    "fails": "fails",
    "vendor": "vendor",
}
REAL = {"__init__.py": "part = 7\n", "sub.py": "VALUE = 8\n"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Ask in all ways in one process."""
    folder = tmp_path_factory.mktemp("world")
    write_package(folder, "away", REAL, "away-4")
    write_package(folder, "partly", {"gone.py": "part = 1\n", "here.py": "VALUE = 2\n"}, "partly")
    write_package(folder, "broke", REAL, "broke")
    write_package(folder, "has_real", REAL, "has-real")
    write_package(folder, "fails", {"__init__.py": "raise OSError('libcuda.so.1')\n"}, "fails")
    write_package(folder, "at_once", {"__init__.py": "VALUE = 3\n"})
    ours = [*NAMES.values(), "away", "has_real"]
    answer: dict[str, Any] = run(folder, f"NAMES = {NAMES!r}\nOURS = {ours!r}\n{SCRIPT}")
    return answer


BROKEN = "ImportError: broke is broken: made to fail at import by --broken"
NOWHERE = "ImportError: broke_nowhere is broken: made to fail at import by --broken"
AWAY = "ModuleNotFoundError: No module named 'away'"
GONE = "ModuleNotFoundError: No module named 'partly.gone'"
TABLE: dict[str, dict[str, str]] = {
    "away": {
        "sys.modules": "False",
        "find_spec": "False",
        "listed": "False",
        "version": "PackageNotFoundError: No package metadata was found for away-4",
        "import": AWAY,
        "import_module": AWAY,
        "from": AWAY,
        "below": AWAY,
        "again": AWAY,
        "find_spec after": "False",
        "error": "away",
    },
    "partly.gone": {
        "sys.modules": "False",
        "find_spec": "False",
        "listed": "True",  # the package above it is there
        "version": "1.2",
        "import": GONE,
        "import_module": GONE,
        "from": GONE,
        "below": GONE,
        "again": GONE,
        "find_spec after": "False",
        "error": "partly.gone",
    },
    "broke": {
        "sys.modules": "False",
        "find_spec": "True",
        "listed": "True",
        "version": "1.2",
        "import": BROKEN,
        "import_module": BROKEN,
        "from": BROKEN,
        "below": BROKEN,
        "again": BROKEN,
        "find_spec after": "True",
        "error": "broke",
    },
    "broke_nowhere": {
        "sys.modules": "False",
        "find_spec": "True",
        "listed": "True",
        "version": "PackageNotFoundError: No package metadata was found for broke-nowhere",
        "import": NOWHERE,
        "import_module": NOWHERE,
        "from": NOWHERE,
        "below": NOWHERE,
        "again": NOWHERE,
        "find_spec after": "True",
        "error": "broke_nowhere",
    },
    "stubbed": {
        "sys.modules": "False",
        "find_spec": "True",
        "listed": "True",
        "version": "9999.0.0+stub",
        "import": "fine",
        "import_module": "stubbed",
        "from": "<stub stubbed.part>",
        "below": "fine",
        "again": "fine",
        "find_spec after": "True",
        "error": "None",
    },
    "has_real": {
        "sys.modules": "False",
        "find_spec": "True",
        "listed": "True",
        "version": "1.2",
        "import": "fine",
        "import_module": "has_real",
        "from": "7",
        "below": "fine",
        "again": "fine",
        "find_spec after": "True",
        "error": "None",
    },
    "fails": {
        "sys.modules": "False",
        "find_spec": "True",
        "listed": "True",
        "version": "1.2",
        "import": "fine",
        "import_module": "fails",
        "from": "<stub fails.part>",
        "below": "fine",
        "again": "fine",
        "find_spec after": "True",
        "error": "None",
    },
    "vendor": {
        "sys.modules": "False",
        "find_spec": "True",
        "listed": "True",
        "version": "3.0",
        "import": "fine",
        "import_module": "vendor",
        "from": "5",
        "below": "ModuleNotFoundError: No module named 'vendor.sub'; 'vendor' is not a package",
        "again": "fine",
        "find_spec after": "True",
        "error": "None",
    },
}


@pytest.mark.parametrize(
    ("name", "way"), [(name, way) for name, ways in TABLE.items() for way in ways]
)
def test_each_way_agrees(told: dict[str, Any], name: str, way: str) -> None:
    """What one way sees, no other way denies."""
    assert told[name][way] == TABLE[name][way]


def test_all_distributions_at_once(told: dict[str, Any]) -> None:
    """Who lists them all finds the same as who asks for one."""
    assert told["all distributions"] == [
        "broke", "fails", "has-real", "partly", "stubbed", "vendor"
    ]  # fmt: skip
    assert told["providers"] == {
        "broke": ["broke"], "fails": ["fails"], "has_real": ["has-real"], "stubbed": ["stubbed"],
        "vendor": ["vendor"],
    }  # fmt: skip


def test_a_vendor_module_is_installed_once(told: dict[str, Any]) -> None:
    """What it does to torch is done at its first import, and leaves no trace on it."""
    assert told["installed"] == [1, False]


def test_stubs_that_were_used(told: dict[str, Any]) -> None:
    """A real package that can be imported needed none."""
    assert told["used"] == ["fails", "stubbed"]


def test_nothing_else_changes(told: dict[str, Any]) -> None:
    """Neighbours of what is away stay, and are listed."""
    assert told["still real"] == [3, 2]
    assert told["below a package"] == ["here"]


def test_a_vendor_module_that_is_named(tmp_path: Path) -> None:
    """An option wins over the platform, and the platform over what is installed."""
    for name in ("vendor_away", "vendor_broken", "vendor_here"):
        write_package(tmp_path, name, REAL, name)
    script = """
import importlib.metadata as metadata
vendors = [type(sys)(name) for name in ("vendor_away", "vendor_broken", "vendor_here")]
for one in vendors:
    one.part = "simulated"
packages.install(without=["vendor_away"], broken=["vendor_broken"], stub=[], present=vendors)
for one in vendors:
    name = one.__name__
    try:
        exec(f"from {name} import part; told[name] = [part]")
    except ImportError as error:
        told[name] = [type(error).__name__]
    try:
        told[name].append(metadata.version(name))
    except metadata.PackageNotFoundError:
        told[name].append(None)
try:
    import vendor_here.sub
except ModuleNotFoundError:
    told["real parts"] = "away"
"""
    assert run(tmp_path, script) == {
        "vendor_away": ["ModuleNotFoundError", None],
        "vendor_broken": ["ImportError", "0.0.0"],
        "vendor_here": ["simulated", "0.0.0"],
        "real parts": "away",
    }
