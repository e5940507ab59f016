"""The Python files under what was asked for, each once, by their path from the root."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphaudit.discover.syntax import NO_FILE
from graphaudit.errors import PathError
from graphaudit.model import Uncovered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SUFFIX: Final = ".py"
SKIPPED: Final = frozenset(
    {"__pycache__", "build", "dist-packages", "node_modules", "site-packages"}
)
VENV_MARK: Final = "pyvenv.cfg"


@dataclass(slots=True)
class Files:
    """What a walk found."""

    paths: dict[str, Path] = field(default_factory=dict)  # scanned path to file
    unread: list[Uncovered] = field(default_factory=list)


def scanned_path(path: str, root: Path) -> str:
    """Give `path` (relative to `root`, or absolute) as a POSIX path relative to `root`.

    A path that seems to lie outside is looked at again with links resolved: `root` may have been
    reached through one.
    """
    relative = os.path.relpath(root / path, root)
    if _outside(relative):
        real = os.path.relpath(os.path.realpath(root / path), os.path.realpath(root))
        relative = relative if _outside(real) else real
    return Path(relative).as_posix()


def python_files(paths: Sequence[str], root: Path) -> Files:
    """Find the files to scan. A file or folder that is named itself is taken wherever it lies.

    Links to folders are not followed below a path that was named, so that a tree that contains
    itself ends, and no file has two names.

    Raises:
        PathError: One of `paths` is empty, does not exist, is a file that is not Python, or is
            neither a file nor a folder.
    """
    found = Files()
    for path in paths:
        place = root / scanned_path(path, root)
        if not path or not place.exists():
            raise PathError(f"{path!r}: no such file or folder in {root}; check the spelling")
        if place.is_dir():
            _walk(place, root, found)
        elif place.suffix == SUFFIX:
            if not place.is_file():
                raise PathError(f"{path}: not read: {NO_FILE}; name a folder or a Python file")
            _keep(place, root, found)
        else:
            raise PathError(f"{path}: not a Python file; name a folder or a file in {SUFFIX}")
    return found


def _outside(relative: str) -> bool:
    return Path(relative).parts[:1] == ("..",)


def _walk(top: Path, root: Path, found: Files) -> None:
    for folder, folders, names in os.walk(top, onerror=_keep_error(root, found)):
        if VENV_MARK in names and Path(folder) != top:
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if name not in SKIPPED and name[0] != ".")
        for name in names:
            if name.endswith(SUFFIX):
                _keep(Path(folder, name), root, found)


def _keep(place: Path, root: Path, found: Files) -> None:
    path = scanned_path(str(place), root)
    printable = path.encode("utf-8", "backslashreplace").decode()
    if path == printable:
        found.paths[path] = place
    else:
        what = "not read: its name is not UTF-8; give it another one"
        found.unread.append(Uncovered(path=printable, line=1, what=what, kind="unread"))


def _keep_error(root: Path, found: Files) -> Callable[[OSError], None]:
    def keep(error: OSError) -> None:
        path = scanned_path(str(error.filename), root)
        what = f"not read: {type(error).__name__}: {error.strerror}"
        found.unread.append(Uncovered(path=path, line=1, what=what, kind="unread"))

    return keep
