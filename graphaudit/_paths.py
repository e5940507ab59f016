"""Paths that mean the same in another clone, and on which side of the library line they lie."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from graphaudit._protocol import Places

SITE: Final = "<site-packages>"
STDLIB: Final = "<stdlib>"
_INSTALLED: Final = ("site-packages", "dist-packages")
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
# clock readings and ids: no one writes such numbers into a program
_MEASURED: Final = re.compile(r"\b\d+\.\d{8,}(?:e[+-]?\d+)?\b|\b\d{10,}\b")


def portable(path: str, places: Places) -> str:
    """Rewrite an absolute path: relative to the root, or under `<site-packages>` or `<stdlib>`."""
    if not path.startswith("/"):
        return path
    for marker in _INSTALLED:
        _, found, rest = path.rpartition(f"/{marker}/")
        if found:
            return f"{SITE}/{rest}"
    if places.torch and path.startswith(f"{places.torch}/"):
        return f"{SITE}/torch/{path[len(places.torch) + 1 :]}"
    for folder in places.stdlib:
        if path.startswith(f"{folder}/"):
            return f"{STDLIB}/{path[len(folder) + 1 :]}"
    return PurePosixPath(os.path.relpath(path, places.root)).as_posix()


def is_library(path: str) -> bool:
    """Tell whether a portable path is not the user's to mend: pseudo files are not either."""
    return path.startswith("<")


def is_torch_or_stdlib(path: str) -> bool:
    """Tell whether a portable path lies in torch or the standard library."""
    return path.startswith((f"{SITE}/torch/", f"{STDLIB}/", "<frozen "))


def library_name(path: str) -> str:
    """Name the library that a portable path lies in: `torch`, `transformers`, `Python`."""
    if path.startswith(f"{SITE}/"):
        return path.split("/")[1].removesuffix(".py")
    return "Python"


def scrubbed(text: str, places: Places) -> str:
    """Take out of a text what differs between two runs or clones: addresses, clocks, folders."""
    text = _MEASURED.sub("..", _ADDRESS.sub("0x..", text))
    text = re.sub(r"(?:/[^\s'\":,()]+)?/(?:site|dist)-packages/", f"{SITE}/", text)
    for folder in places.stdlib:
        text = text.replace(f"{folder}/", f"{STDLIB}/")
    return text.replace(f"{places.root}/", "").replace(places.root, ".")
