"""The packages that a child finds, asked in every way, in fresh processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).parents[1]
_ASK = """
import importlib, importlib.metadata, importlib.util, json, sys
from graphaudit._target import packages

answers = {}

def ask(name, function):
    try:
        answers[name] = repr(function())
    except BaseException as error:
        answers[name] = f"{type(error).__name__}: {error}"
"""


def asked(code: str, *folders: Path) -> dict[str, str]:
    """Run `code`, which calls `ask(name, function)`; what it was answered."""
    path = os.pathsep.join(map(str, (_ROOT, *folders)))
    done = subprocess.run(
        [sys.executable, "-B", "-c", f"{_ASK}{code}\nprint(json.dumps(answers))"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def package(folder: Path, name: str, text: str = "VALUE = 1\n", version: str = "1.2") -> Path:
    """Install a package with its metadata."""
    (folder / name).mkdir(parents=True)
    (folder / name / "__init__.py").write_text(text)
    (folder / name / "below.py").write_text("VALUE = 2\n")
    info = folder / f"{name}_dist-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}-dist\nVersion: {version}\n"
    )
    (info / "RECORD").write_text(f"{name}/__init__.py,,\n{name}/below.py,,\n")
    return folder


_WAYS = """
ask("find_spec", lambda: importlib.util.find_spec("lib") is not None)
ask("import", lambda: __import__("lib").VALUE)
ask("from", lambda: exec("from lib import VALUE"))
ask("below", lambda: importlib.import_module("lib.below").VALUE)
ask("loaded", lambda: "lib" in sys.modules)
ask("version", lambda: importlib.metadata.version("lib-dist"))
names = {one.metadata["Name"] for one in importlib.metadata.distributions()}
ask("listed", lambda: "lib-dist" in names)
"""
_NOT_THERE = {
    "find_spec": "False",
    "import": "ModuleNotFoundError: No module named 'lib'",
    "from": "ModuleNotFoundError: No module named 'lib'",
    "below": "ModuleNotFoundError: No module named 'lib'",
    "loaded": "False",
    "version": "PackageNotFoundError: No package metadata was found for lib-dist",
    "listed": "False",
}
_THERE = {
    "find_spec": "True",
    "import": "1",
    "from": "None",
    "below": "2",
    "loaded": "True",
    "version": "'1.2'",
    "listed": "True",
}
_FAILS = "ImportError: lib is made to fail at import (--broken lib)"
_BROKEN = {**_THERE, "import": _FAILS, "from": _FAILS, "below": _FAILS, "loaded": "False"}
_INSTALL = "packages.install(without={without}, broken={broken}, stub={stub})\n"


def installed(without: str = "", broken: str = "", stub: str = "") -> str:
    """Write the call that changes what is found; names after spaces."""
    return _INSTALL.format(without=without.split(), broken=broken.split(), stub=stub.split())


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (installed(), _THERE),
        (installed(without="lib"), _NOT_THERE),
        ("import lib\n" + installed(without="lib"), _NOT_THERE),
        (installed(broken="lib"), _BROKEN),
        (installed(stub="lib"), _THERE),
        (
            installed(without="lib.below other li"),
            {
                **_THERE,
                "below": "ModuleNotFoundError: No module named 'lib.below'",
            },
        ),
    ],
    ids=["as installed", "without", "without what is loaded", "broken", "stub", "without a part"],
)
def test_each_way_of_asking_gets_the_same_answer(
    changed: str, expected: dict[str, str], tmp_path: Path
) -> None:
    """Whether the package is there, can be imported, and has metadata. A real one beats a stub."""
    assert asked(changed + _WAYS, package(tmp_path, "lib")) == expected


def test_a_stub_is_found_where_nothing_is_installed() -> None:
    """It has any attribute and any module below it, and a version."""
    found = asked(
        installed(stub="lib")
        + """
ask("find_spec", lambda: importlib.util.find_spec("lib") is not None)
ask("below", lambda: importlib.import_module("lib.a.b").__name__)
ask("attribute", lambda: __import__("lib").anything)
ask("same", lambda: __import__("lib").anything is __import__("lib").anything)
ask("version", lambda: importlib.metadata.version("lib"))
ask("imported", packages.imported)
"""
    )
    assert found == {
        "find_spec": "True",
        "below": "'lib.a.b'",
        "attribute": "<stub of lib.anything>",
        "same": "True",
        "version": "'0.0.0+stub'",
        "imported": "('lib',)",
    }


def test_a_stub_takes_the_place_of_what_fails_at_import(tmp_path: Path) -> None:
    """A native library that cannot be loaded, say; a stub that nobody imports is not counted."""
    folder = package(tmp_path, "lib", "raise OSError('libcuda.so.1: cannot open')\n")
    found = asked(
        installed(stub="lib unused")
        + "ask('call', lambda: __import__('lib').call())\nask('imported', packages.imported)\n",
        folder,
    )
    assert found == {"call": "<stub of lib.call>", "imported": "('lib',)"}


@pytest.mark.parametrize("name", ["torch", "torch.cuda", "sys", "json", "msgspec", "graphaudit"])
@pytest.mark.parametrize("option", ["without", "broken", "stub"])
def test_what_everything_needs_stays(name: str, option: str) -> None:
    """The message names it."""
    code = f"ask('install', lambda: {installed(**{option: name}).strip()})\n"
    assert asked(code) == {
        "install": f"PackageError: {name} has to stay as it is: nothing runs without it"
    }


def test_a_given_module_is_there_unless_taken_away(tmp_path: Path) -> None:
    """It comes before one that is installed."""
    code = """
import types
given = types.ModuleType("lib")
given.VALUE = 7
packages.install(without={without}, broken=[], stub=[], present=[given])
ask("import", lambda: __import__("lib").VALUE)
ask("find_spec", lambda: importlib.util.find_spec("lib").name)
"""
    folder = package(tmp_path, "lib")
    assert asked(code.format(without=[]), folder) == {"import": "7", "find_spec": "'lib'"}
    assert asked(code.format(without=["lib"]), folder)["import"].startswith("ModuleNotFoundError")


_LIBRARY = """
import abc
import native
from native import Base, NativeError, jit, register
from native.kinds import Kind

native.init()
HANDLE = native.Handle(device=3)

@jit
def plain(x):
    'Twice.'
    return 2 * x

@jit(opts=1)
def opted(x): ...

@register("name")
class Registered:
    def answer(self):
        return 42

class Derived(Base):
    def __init__(self):
        super().__init__(1, two=2)

class Generic(native.Of[int], abc.ABC): ...

def annotated(x: Base | None, kind: Kind = Kind.FIRST) -> "native.Result": ...

try:
    raise NativeError("x")
except native.OtherError:
    CAUGHT = "other"
except NativeError:
    CAUGHT = "native"
"""


def test_what_libraries_do_at_import_works_on_a_stub(tmp_path: Path) -> None:
    """Decorating, deriving, calling, annotating, catching; a call is refused once that is over."""
    (tmp_path / "uses.py").write_text(_LIBRARY)
    found = asked(
        installed(stub="native")
        + """
import copy, inspect, uses
ask("handle", lambda: uses.HANDLE)
ask("decorated", lambda: (uses.plain.__name__, uses.plain.__doc__, uses.opted.__name__))
ask("class", lambda: uses.Registered().answer())
ask("derived", lambda: type(uses.Derived()).__name__)
ask("instance", lambda: isinstance(3, uses.native.Thing))
ask("caught", lambda: uses.CAUGHT)
ask("empty", lambda: list(uses.native.things))
ask("private", lambda: uses.Kind.__iadd__)
ask("unwrap", lambda: inspect.unwrap(uses.plain) is uses.plain)
packages.seal()
ask("called", lambda: uses.plain(1))
ask("deeper", lambda: uses.native.a.b(1))
ask("kernel", lambda: uses.plain[(1,)](2))
""",
        tmp_path,
    )
    assert found == {
        "handle": "<stub of native.Handle>",
        "decorated": "('plain', 'Twice.', 'opted')",
        "class": "42",
        "derived": "'Derived'",
        "instance": "False",
        "caught": "'native'",
        "empty": "[]",
        "private": "AttributeError: <stub of native.kinds.Kind> has no attribute '__iadd__'",
        "unwrap": "True",
        "called": "StubCalled: stub called: native.jit(plain)(...); it needs the real package",
        "deeper": "StubCalled: stub called: native.a.b(...); it needs the real package",
        "kernel": "StubCalled: stub called: native.jit(plain)(...); it needs the real package",
    }


_MISSING = """
from graphaudit._target.missing import find_missing
ask("missing", lambda: find_missing(lambda: importlib.import_module("target")))
ask("untouched", lambda: [name for name in ("one", "two", "target") if name in sys.modules])
"""


@pytest.fixture
def libraries(tmp_path: Path) -> Path:
    """Install a chain: each package needs the next, the last one a device, and one is absent."""
    site = tmp_path / "site-packages"
    package(site, "one", "import two\ntry:\n    import optional\nexcept ImportError:\n    pass\n")
    package(site, "two", "import three\nimport absent.part\nfrom absent.other import thing\n")
    package(site, "three", "raise OSError('libcuda.so.1: cannot open shared object file')\n")
    return site


def test_missing_packages_are_found_down_a_chain(libraries: Path, tmp_path: Path) -> None:
    """What a library itself gets along without is not among them, and nothing is imported here."""
    (tmp_path / "target.py").write_text("import one\n")
    found = asked(_MISSING, libraries, tmp_path)
    assert found == {"missing": "('three', 'absent')", "untouched": "[]"}


@pytest.mark.parametrize(
    "text",
    [
        "import one\nfrom one import gone\n",
        "raise ValueError(3)\n",
        "import target_helper\n",
        "1 +\n",
    ],
    ids=["a name that is gone", "an error of its own", "a module that is not there", "no Python"],
)
def test_mistakes_of_the_target_are_not_stubbed(text: str, tmp_path: Path) -> None:
    """They are for its author to see; a module that is not there could be a package's."""
    site = package(tmp_path / "site-packages", "one")
    (tmp_path / "target.py").write_text(text)
    expected = "('target_helper',)" if "helper" in text else "()"
    assert asked(_MISSING, site, tmp_path)["missing"] == expected


_DYNAMO = """
import torch, torch._dynamo, warnings
warnings.simplefilter("ignore")

def is_lib():
    try:
        import lib
    except ImportError:
        return False
    return True

def has_spec():
    return importlib.util.find_spec("lib") is not None

def traced(probe):
    torch._dynamo.reset()
    function = torch.compile(lambda x: x + 1 if probe() else x - 1, backend="eager", fullgraph=True)
    try:
        return int(function(torch.zeros(1)))
    except Exception as error:
        return str(error).splitlines()[0]

ask("import", lambda: traced(is_lib))
ask("find_spec", lambda: traced(has_spec))
"""


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (installed(without="lib"), ("'Import failure'", "-1")),
        (installed(broken="lib"), ("'Import failure'", "1")),
        (installed(), ("1", "1")),
        (installed(stub="lib other"), ("1", "1")),
    ],
    ids=["without", "broken", "as installed", "stub"],
)
def test_dynamo_meets_what_the_program_meets(
    changed: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    """The break that an absent package makes is there exactly where it is made absent."""
    prepare = "import torch, torch._dynamo\n"
    found = asked(prepare + changed + _DYNAMO, package(tmp_path, "lib"))
    assert (found["import"], found["find_spec"]) == expected


def test_operators_of_a_stub_are_stand_ins_unless_defined() -> None:
    """Torch's own machinery serves what somebody defines."""
    found: dict[str, Any] = asked(
        "import torch\n"
        + installed(stub="native")
        + """
import native
torch.library.define("native::known", "(Tensor x) -> Tensor")
torch.library.impl("native::known", "CPU", lambda x: x + 1)
ask("known", lambda: int(torch.ops.native.known(torch.zeros(1))))
ask("default", lambda: torch.ops.native.unknown.default)
packages.seal()
ask("unknown", lambda: torch.ops.native.unknown(1))
"""
    )
    assert found == {
        "known": "1",
        "default": "<stub of torch.ops.native.unknown.default>",
        "unknown": (
            "StubCalled: stub called: torch.ops.native.unknown(...); it needs the real package"
        ),
    }
