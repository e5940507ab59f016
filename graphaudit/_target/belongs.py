"""Whose code a file is: the target's own, or that of a library.

A code object names its file as it was found, so a folder behind a link has two names: a home or an
environment that is linked, a checkout of torch.
"""

from __future__ import annotations

import os
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_INSTALLED: Final = ("/site-packages/", "/dist-packages/")


def _spellings(*folders: str | Path) -> tuple[str, ...]:
    """Give the folders as they are named and as they are, each ending in a slash."""
    both = (spelled for one in folders for spelled in (str(one), os.path.realpath(one)))
    return tuple(dict.fromkeys(f"{one}/" for one in both))


_OURS: Final = _spellings(Path(__file__).parents[1])
_STDLIB: Final = _spellings(sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))


_roots: tuple[str, ...] = ()  # how the files of packages begin that count as the target's


def count_as_targets(packages: Iterable[str]) -> None:
    """Take installed packages for the target's own code. Called once, before anything is asked."""
    global _roots
    _roots = tuple(
        f"{folder}{name}{end}" for folder in _INSTALLED for name in packages for end in ("/", ".py")
    )


@cache
def is_targets(path: str) -> bool:
    """Tell whether a file, as a code object names it, is the target's own."""
    installed = any(name in path for name in _INSTALLED)
    if installed and any(root in path for root in _roots):
        return True
    return bool(path) and not installed and not is_runtime(path) and not is_ours(path)


def is_ours(path: str) -> bool:
    """Tell whether a file is the audit's own."""
    return path.startswith(_OURS)


@cache
def is_runtime(path: str) -> bool:
    """Tell whether a file is torch's or the standard library's, or none at all: `<string>`."""
    return path.startswith(("<", *_torch())) or is_stdlib(path)


@cache
def is_stdlib(path: str) -> bool:
    """Tell whether a file is of the standard library, frozen modules included."""
    installed = any(name in path for name in _INSTALLED)
    return path.startswith((*_STDLIB, "<frozen ")) and not installed


@cache
def _torch() -> tuple[str, ...]:
    """Find torch's folder, which may be a checkout; the target cannot move it any more."""
    spec = find_spec("torch")
    return _spellings(Path(spec.origin).parent) if spec and spec.origin else ()
