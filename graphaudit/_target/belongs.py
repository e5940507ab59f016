"""Whose code a file is: the target's own, or that of a library."""

from __future__ import annotations

import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_INSTALLED: Final = ("/site-packages/", "/dist-packages/")
_OURS: Final = f"{Path(__file__).parents[1]}/"
_STDLIB: Final = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib")})


@cache
def is_targets(path: str) -> bool:
    """Tell whether a file, as a code object names it, is the target's own."""
    if not path.startswith("/") or any(name in path for name in _INSTALLED):
        return False
    return not path.startswith((_OURS, *_STDLIB, _torch()))


def is_stdlib(path: str) -> bool:
    """Tell whether a file is of the standard library, frozen modules included."""
    installed = any(name in path for name in _INSTALLED)
    return path.startswith((*_STDLIB, "<frozen ")) and not installed


@cache
def _torch() -> str:
    """Find torch's folder, which may be a checkout; the target cannot move it any more."""
    spec = find_spec("torch")
    return f"{Path(spec.origin).parent}/" if spec and spec.origin else _OURS
