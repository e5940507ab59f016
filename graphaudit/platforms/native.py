"""What a simulation needs below Python: built once, kept in the user's cache folder.

Several children may build it at the same time: each writes a file of its own and then renames it.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final

import torch

from graphaudit.platforms.errors import SimulationError

_SOURCE: Final = Path(__file__).with_name("native.cpp")
_COMPILERS: Final = ("c++", "g++", "clang++")
_SHOWN: Final = 400  # characters of a compiler's complaint
_TIME_S: Final = 240.0


def type_number(device_type: str) -> int:
    """Give the number of a device's type in `c10::DeviceType`; a vendor's have one slot."""
    types: Any = torch._C._autograd.DeviceType
    found = types.CUDA if device_type == "cuda" else types.PrivateUse1
    return int(getattr(found, "value", found))


def register_guard(device_type: int) -> None:
    """Give this process a guard for a type of devices, in place of one that asks a driver.

    Args:
        device_type: Its number in `c10::DeviceType`.

    Raises:
        SimulationError: There is no compiler, or it fails.
    """
    library().graphaudit_register_guard(device_type)


@cache
def library() -> ctypes.PyDLL:
    """Give the library, built where it is not yet.

    Raises:
        SimulationError: There is no compiler, or it fails.
    """
    path = _path()
    if not path.exists():
        _build(path)
    return ctypes.PyDLL(str(path))  # what it calls may be Python


def _path() -> Path:
    """Name the file for this source, this torch and the layout of its C++ classes."""
    key = f"{torch.__version__} {torch.compiled_with_cxx11_abi()} ".encode()
    digest = hashlib.sha256(key + _SOURCE.read_bytes()).hexdigest()[:16]
    return _folder() / f"native-{digest}.so"


def _folder() -> Path:
    """Give a folder that can be written to: the user's cache, else one beside temporary files."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    for folder in (Path(cache, "graphaudit"), _temporary()):
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
            return folder
    raise SimulationError(
        "a simulated device needs a folder to be kept in, and neither the user's cache nor the "
        "temporary folder can be written to: set XDG_CACHE_HOME to one that can"
    )


def _temporary() -> Path:
    return Path(tempfile.gettempdir(), f"graphaudit-{os.getuid()}")


def _build(library: Path) -> None:
    compiler, *arguments = _compiler()
    home = Path(torch.__file__).parent
    with tempfile.TemporaryDirectory(dir=library.parent) as name:
        made = Path(name, "native.so")
        command = [
            *(compiler, *arguments, "-shared", "-fPIC", "-O1", "-std=c++20"),
            *("-I", str(home / "include"), str(_SOURCE), "-o", str(made)),
            *("-L", str(home / "lib"), "-lc10"),
            f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
        ]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=_TIME_S)
        except subprocess.CalledProcessError as error:
            said = (error.stderr or error.stdout or "").strip()[:_SHOWN]
            raise SimulationError(
                f"a simulated cuda device needs a small C++ file compiled, and {compiler} failed: "
                f"{said}; set CXX to a compiler of C++20"
            ) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SimulationError(
                f"a simulated cuda device needs a small C++ file compiled, and {compiler} did not "
                f"run: {error}; set CXX to a compiler of C++20"
            ) from error
        made.replace(library)


def _compiler() -> tuple[str, ...]:
    """Give the compiler, and the arguments that `CXX` may have for it, as make takes them."""
    try:
        named = shlex.split(os.environ.get("CXX", ""))
    except ValueError as error:
        raise SimulationError(f"CXX={os.environ['CXX']} is no command: {error}") from error
    names = named[:1] or _COMPILERS
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise SimulationError(
            "a simulated cuda device needs a small C++ file compiled, and there is no "
            f"{' or '.join(names)}: install one (Debian: apt-get install g++), or set CXX"
        )
    return (found, *named[1:])
