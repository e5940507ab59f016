"""What an entry's id says: the file, the factory's name, the number of the input."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from graphaudit.model import Scope

_INPUT: Final = re.compile(r"\[\d+\]\Z")


def base(entry: str) -> str:
    """Give the id without the number of an input: `a.py::audit_x[1]` is `a.py::audit_x`."""
    return _INPUT.sub("", entry)


def file_of(entry: str) -> str:
    """Give the path in an entry's id."""
    return entry.rpartition("::")[0]


def name_of(entry: str) -> str:
    """Give the factory's name in an entry's id, with the number of the input if it has one."""
    return entry.rpartition("::")[2]


def covers(scope: Scope, path: str) -> bool:
    """Say whether `path` lies under one of the scanned paths."""
    return any(_under(path, folder) for folder in scope.paths)


def _under(path: str, folder: str) -> bool:
    path, folder = posixpath.normpath(path), posixpath.normpath(folder)
    if folder == ".":
        return not path.startswith("../")
    return path == folder or path.startswith(f"{folder}/")
