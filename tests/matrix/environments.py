"""The versions that are scored, and a virtual environment for each: made once, then used again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[2]
# what the tests need besides the package's own dependencies
_NEEDS: Final = ("hypothesis", "numpy", "pydantic", "pytest")
# the pins of these follow torch
_FREE: Final = ("torch", "triton")
_VERSIONS: Final = """
import importlib.metadata, json, sys
found = {"python": "%d.%d" % sys.version_info[:2]}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


class MissingInterpreter(Exception):  # noqa: N818 - says what is the case
    """A Python that is asked for is not on this machine; the message says the next step."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A Python and a torch."""

    python: str  # "3.12"
    torch: str  # "2.13.0"

    @property
    def name(self) -> str:
        """Name it as a folder."""
        return f"py{self.python.replace('.', '')}-torch{self.torch}"


# besides the reference, torch 2.13.0 on Python 3.11, which the project's own environment has
PAIRS: Final = (Pair("3.11", "2.14.1"), Pair("3.12", "2.13.0"), Pair("3.13", "2.13.0"))


def environment(pair: Pair, folder: Path) -> Path:
    """Give the interpreter of a pair's environment in a folder; make it where it is not ready.

    Raises:
        MissingInterpreter: There is none of this Python.
        CalledProcessError: Something cannot be installed; pip has said what.
    """
    python = folder / pair.name / "bin" / "python"
    if not _is_ready(python, pair):
        if not python.exists():
            subprocess.run(
                [interpreter(pair.python), "-m", "venv", str(folder / pair.name)], check=True
            )
        _install(python, pair)
    return python


def interpreter(version: str) -> str:
    """Find a Python of a version: on PATH, else among those that pyenv has installed.

    Raises:
        MissingInterpreter: There is none.
    """
    name = f"python{version}"
    on_path = shutil.which(name)
    from_pyenv = (str(path / "bin" / name) for path in _pyenv_versions(version))
    for found in filter(None, (on_path, *from_pyenv)):
        # a shim of pyenv's stands on PATH for versions that it then refuses to start
        if _asked(found).get("python") == version:
            return found
    raise MissingInterpreter(
        f"no {name} on PATH or in pyenv's folder of versions: "
        f"install it, for example with `pyenv install {version}`"
    )


def _pyenv_versions(version: str) -> list[Path]:
    root = os.environ.get("PYENV_ROOT")
    if not root and (pyenv := shutil.which("pyenv")):
        done = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
        root = done.stdout.strip()
    return sorted(Path(root, "versions").glob(f"{version}.*"), reverse=True) if root else []


def _is_ready(python: Path, pair: Pair) -> bool:
    names = [_name(one) for one in _requirements(pair)]
    found = _asked(str(python), *names)
    # a wheel says what it was built for behind a plus
    right = found.get("torch", "").partition("+")[0] == pair.torch
    return right and found["python"] == pair.python and all(name in found for name in names)


def _asked(python: str, *packages: str) -> dict[str, str]:
    """Ask an interpreter for its versions; nothing if it does not start."""
    try:
        done = subprocess.run(
            [python, "-c", _VERSIONS, *packages], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return {}
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _install(python: Path, pair: Pair) -> None:
    with TemporaryDirectory() as name:
        pins = Path(name, "constraints.txt")
        pins.write_text("\n".join(_constraints()) + "\n")
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--constraint", str(pins), *_requirements(pair)], check=True)


def _requirements(pair: Pair) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [f"torch=={pair.torch}", *project["dependencies"], *_NEEDS]


def _constraints() -> list[str]:
    lines = (ROOT / ".ci" / "constraints.txt").read_text().splitlines()
    return [line for line in lines if line.partition("==")[0] not in _FREE]


def _name(requirement: str) -> str:
    return requirement.partition("=")[0].partition(">")[0].strip()
