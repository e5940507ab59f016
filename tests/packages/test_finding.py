"""Which modules `--stub auto` stands in for, and which it never does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.packages.worlds import run, write_package

if TYPE_CHECKING:
    from pathlib import Path

FIND = """
import importlib
packages.install(without={without}, broken={broken}, stub=[])
def goal():
    return importlib.import_module("mine")
before = set(sys.modules)
found = packages.find_missing(goal)
told["left"] = sorted(set(sys.modules) - before - {{"ctypes"}})
told["found"] = found
packages.stub_too(found)
try:
    goal()
    told["then"] = "fine"
except BaseException as error:
    told["then"] = f"{{type(error).__name__}}: {{error}}"
told["used"] = packages.imported()
"""


def find(
    folder: Path, target: str, without: tuple[str, ...] = (), broken: tuple[str, ...] = ()
) -> tuple[list[str], str]:
    """Say what was found for a target, and what its import did with it."""
    folder.joinpath("mine.py").write_text(target)
    told = run(folder, FIND.format(without=without, broken=broken))
    assert not [name for name in told["left"] if name in {"mine", "first"}]
    return told["found"], told["then"]


def test_a_chain_of_packages(tmp_path: Path) -> None:
    """Each that fails the import, by absence or by its native library; the real ones stay real."""
    write_package(tmp_path, "first", {"__init__.py": "from second.part import f\nimport third\n"})
    write_package(tmp_path, "third", {"__init__.py": "import third.native\n", "native.py": (
        "import ctypes\nctypes.CDLL('libnowhere_cuda.so.1')\n"
    )})  # fmt: skip
    write_package(tmp_path, "fourth", {"__init__.py": "raise RuntimeError('no driver')\n"})
    target = "import first, fourth\nimport third\nassert third.native.launch\n"

    found, then = find(tmp_path, target)

    assert (found, then) == (["second", "third.native", "fourth"], "fine")


def test_the_package_whose_init_raises(tmp_path: Path) -> None:
    """Its `__init__` is what cannot be imported; where it was called from does not matter."""
    write_package(tmp_path, "helper", {"__init__.py": (
        "def load():\n    raise OSError('libcuda.so.1: cannot open shared object file')\n"
    )})  # fmt: skip
    write_package(tmp_path, "third", {"__init__.py": "import helper\nhelper.load()\n"})

    assert find(tmp_path, "import third\nthird.anything()\n") == (["third"], "fine")


def test_a_name_that_a_real_package_lacks(tmp_path: Path) -> None:
    """An extension that was not built: the rest of the package is real."""
    write_package(tmp_path, "third", {"__init__.py": "from . import _C\nVALUE = 3\n"})

    assert find(tmp_path, "import third\nassert third.VALUE == 3\n") == (["third._C"], "fine")


def test_an_absence_that_is_handled_stays_one(tmp_path: Path) -> None:
    """Only what fails the whole import is stood in for."""
    write_package(tmp_path, "third", {"__init__.py": (
        "try:\n    import optional\nexcept ImportError:\n    optional = None\nimport needed\n"
    )})  # fmt: skip
    target = "import third\nassert third.optional is None\n"

    assert find(tmp_path, target) == (["needed"], "fine")


@pytest.mark.parametrize("how", ["raise ImportError('pip install it') from error",
                                 "raise RuntimeError('it failed')"])  # fmt: skip
def test_an_error_that_hides_the_absence(tmp_path: Path, how: str) -> None:
    """Libraries word it themselves; the first cause names the module."""
    write_package(tmp_path, "third", {"__init__.py": (
        f"try:\n    import needed\nexcept ImportError as error:\n    {how}\n"
    )})  # fmt: skip

    assert find(tmp_path, "import third\n") == (["needed"], "fine")


@pytest.mark.parametrize(
    ("target", "then"),
    [
        ("import mine.wrong", "ModuleNotFoundError: No module named 'mine.wrong'"),
        ("from own import wrong", "ImportError: cannot import name 'wrong' from 'own'"),
        ("from own.wrong import x", "ModuleNotFoundError: No module named 'own.wrong'"),
        ("import own.raises", "OSError: of its own"),
        ("raise ImportError('of its own')", "ImportError: of its own"),
        ("import third; third.raises()", "OSError: of a call"),
        ("import third.mistake", "NameError: name 'undefined' is not defined"),
        ("from json import wrong", "ImportError: cannot import name 'wrong' from 'json'"),
        ("import json.wrong", "ModuleNotFoundError: No module named 'json.wrong'"),
        ("import torch.wrong", "ModuleNotFoundError: No module named 'torch.wrong'"),
        ("from third import circle_a", "ImportError: cannot import name 'x' from partially"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
    ],
)
def test_what_no_stub_mends(tmp_path: Path, target: str, then: str) -> None:
    """The target's own mistakes, the standard library, torch, and other errors."""
    write_package(tmp_path, "third", {
        "__init__.py": "def raises():\n    raise OSError('of a call')\n",
        "mistake.py": "undefined\n",
        "circle_a.py": "from third.circle_b import y\nx = 1\n",
        "circle_b.py": "from third.circle_a import x\ny = 1\n",
    })  # fmt: skip
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text("")
    (tmp_path / "own" / "raises.py").write_text("raise OSError('of its own')\n")

    found, message = find(tmp_path, f"{target}\n")

    assert found == []
    assert message.startswith(then)


@pytest.mark.parametrize("option", ["without", "broken"])
def test_what_was_asked_to_be_away_is_not_stood_in_for(tmp_path: Path, option: str) -> None:
    """The option that names it wins."""
    write_package(tmp_path, "third", {})

    found, then = find(tmp_path, "import third\n", **{option: ("third",)})

    assert found == []
    assert "third" in then


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 11)", "os.abort()"])
def test_a_target_that_ends_its_process(tmp_path: Path, end: str) -> None:
    """What was found so far is given."""
    tmp_path.joinpath("mine.py").write_text(f"import absent\nimport os\n{end}\n")
    script = FIND.format(without=(), broken=()).partition("packages.stub_too")[0]

    assert run(tmp_path, script)["found"] == ["absent"]


def test_a_process_that_the_target_leaves_behind(tmp_path: Path) -> None:
    """It holds what the copy held, and is not waited for."""
    target = "import os, time\nif os.fork() == 0:\n    time.sleep(20)\n    os._exit(0)\n"
    tmp_path.joinpath("mine.py").write_text(target)
    script = FIND.format(without=(), broken=()).partition("packages.stub_too")[0]

    assert run(tmp_path, script)["found"] == []


def test_the_copy_ends_with_the_first_process(tmp_path: Path) -> None:
    """Even while its import hangs in native code."""
    tmp_path.joinpath("mine.py").write_text(
        "import os, time\nopen('copy', 'w').write(str(os.getpid()))\n"
        "os.rename('copy', 'copy_here')\ntime.sleep(60)\n"
    )
    script = """
import importlib, os, time
packages.install(without=[], broken=[], stub=[])
first = os.fork()
if first == 0:
    packages.find_missing(lambda: importlib.import_module("mine"))
while not os.path.exists("copy_here"):
    time.sleep(0.01)
copy = int(open("copy_here").read())
os.kill(first, 9)
os.waitpid(first, 0)
# nobody waits for it here: it is gone once it is a zombie or no more
for _ in range(3000):
    try:
        state = open(f"/proc/{copy}/stat").read().rpartition(")")[2].split()[0]
    except OSError:
        state = "gone"
    if state in ("Z", "X", "gone"):
        told["ended"] = True
        break
    time.sleep(0.01)
"""
    assert run(tmp_path, script) == {"ended": True}
    assert os.path.exists(tmp_path / "copy_here")  # noqa: PTH110


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"without": ["torch"]}, "--without torch: the audit itself runs on torch"),
        ({"broken": ["os.path"]}, "--broken os.path: the audit itself runs on os"),
        ({"stub": ["graphaudit._child"]}, "--stub graphaudit._child: the audit itself runs on"),
        ({"without": ["msgspec"]}, "--without msgspec: the audit itself"),
        ({"stub": ["flash-attn"]}, "--stub flash-attn: it is no module name: write it as `import`"),
        ({"stub": [""]}, "--stub : it is no module name"),
        ({"stub": ["x"], "without": ["x"]}, "x is named by --without and --stub: keep one"),
    ],
)
def test_names_that_are_refused(tmp_path: Path, arguments: dict[str, list[str]], text: str) -> None:
    """The message says which option, which name, and what to do."""
    everything = {"without": [], "broken": [], "stub": []} | arguments
    script = f"""
try:
    packages.install(**{everything!r})
except ValueError as error:
    told["text"] = f"{{type(error).__name__}}: {{error}}"
"""
    assert run(tmp_path, script)["text"].startswith(f"PackageNameError: {text}")


def test_the_longest_name_decides(tmp_path: Path) -> None:
    """A part of what is stood in for may be away."""
    script = """
packages.install(without=["native.part"], broken=["native.other"], stub=["native"])
import native.third
for name in ("part", "other"):
    try:
        exec(f"import native.{name}")
    except ImportError as error:
        told[name] = type(error).__name__
"""
    assert run(tmp_path, script) == {"part": "ModuleNotFoundError", "other": "ImportError"}
