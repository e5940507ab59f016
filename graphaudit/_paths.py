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
# the end of a text up to which it is one path
_LEAD: Final = re.compile(r"/[^\s'\":,()<>]*\Z")
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
# clock readings and ids: no one writes such numbers into a program
# torch names the code behind a symbolic shape by the last few parts of its path
_SHORTENED: Final = re.compile(r"# (?:[\w.-]+/)+([\w.-]+\.py:\d+)")
_MEASURED: Final = re.compile(r"\b\d+\.\d{8,}(?:e[+-]?\d+)?\b|\b\d{10,}\b")


def portable(path: str, places: Places) -> str:
    """Rewrite an absolute path: relative to the root, or under `<site-packages>` or `<stdlib>`.

    A package that counts as the user's own stands under `site-packages`, without the brackets.
    """
    if not path.startswith("/"):
        return path
    for marker in _INSTALLED:
        _, found, rest = path.rpartition(f"/{marker}/")
        if found:
            own = rest.split("/")[0].removesuffix(".py") in places.roots
            return f"{marker}/{rest}" if own else f"{SITE}/{rest}"
    if places.torch and path.startswith(f"{places.torch}/"):
        return f"{SITE}/torch/{path[len(places.torch) + 1 :]}"
    for folder in places.stdlib:
        if path.startswith(f"{folder}/"):
            return f"{STDLIB}/{path[len(folder) + 1 :]}"
    return PurePosixPath(os.path.relpath(path, places.root)).as_posix()


def is_library(path: str) -> bool:
    """Tell whether a portable path is not the user's to mend: pseudo files are not either."""
    return path.startswith("<")


def is_generated(path: str) -> bool:
    """Tell whether a portable path names no file: its code was made while the program ran."""
    return is_library(path) and not path.startswith((f"{SITE}/", f"{STDLIB}/"))


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
    for marker in _INSTALLED:
        text = _without_lead(text, f"/{marker}/")
    for folder in places.stdlib:
        text = _under(folder, STDLIB, text)
    text = _SHORTENED.sub(r"# \1", text)
    return text if places.root == "/" else _under(places.root, "", text)


def _without_lead(text: str, marker: str) -> str:
    """Cut the folders in front of `/site-packages/`, each part of the text looked at once."""
    head, *tails = text.split(marker)
    lead = _LEAD.search(head)
    kept = [head[: lead.start()] if tails and lead else head]
    for position, tail in enumerate(tails):
        last = position == len(tails) - 1
        lead = None if last else _LEAD.search(tail)
        kept.append(tail[: lead.start()] if lead else tail)
    return f"{SITE}/".join(kept)


def _under(folder: str, name: str, text: str) -> str:
    """Write paths in a folder relative to it, and the folder itself as `name` or a dot."""
    found = re.compile(rf"(?<![\w./-]){re.escape(folder)}(/|(?![\w.-]))")
    return found.sub(lambda hit: _lead(name, slash=hit[1] == "/"), text)


def _lead(name: str, *, slash: bool) -> str:
    if slash:
        return f"{name}/" if name else ""
    return name or "."
