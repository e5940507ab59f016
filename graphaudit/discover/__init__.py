"""What stands in the scanned files: entry points, and `torch.compile` sites that none covers.

Files are read and parsed, never imported. A file that Python cannot parse loses nothing silently:
the file is listed as unread, and each factory that its text names is an unreadable entry.

An `audit_*` function with required parameters is no entry, nor is a lambda, a partial or a class of
such a name. They are listed, as their author may have meant one.

A site is *covered* if it stands in an `audit_*` factory, or if a factory in the scanned files
mentions, as a name or an attribute, what the site compiles. That is a guess by name, made to list
the places worth a factory, and it never changes an exit code:

- `@torch.compile` on `f` is covered by a factory that mentions `f`;
- `torch.compile(engine.prefill)` by one that mentions `prefill`, the most specific name;
- where that name says nothing (`forward`, `model`, a parameter of the function around it), the
  names further to the left count, and the classes and functions around the site.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphaudit.discover.compile_sites import CompileSite, compile_sites
from graphaudit.discover.factories import (
    AUDIT,
    COMPARE,
    entry_point,
    factories,
    factory_names,
    fault,
    not_an_entry,
)
from graphaudit.discover.lookalikes import lookalikes
from graphaudit.discover.names import imported_names, mentioned
from graphaudit.discover.python_files import python_files, scanned_path
from graphaudit.discover.syntax import Parsed, Unparsed, parse, read
from graphaudit.model import Discovery, EntryPoint, Uncovered, Unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ("AUDIT", "COMPARE", "find", "scanned_path")

_COMPILE: Final = re.compile(rb"\bcompile\b")


@dataclass(slots=True)
class _Seen:
    """What the files read so far gave."""

    prefix: str
    entries: list[EntryPoint] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    uncovered: list[Uncovered] = field(default_factory=list)  # but for sites
    sites: list[tuple[str, CompileSite]] = field(default_factory=list)
    mentions: set[str] = field(default_factory=set)


def find(paths: Sequence[str], *, root: Path, prefix: str = AUDIT) -> Discovery:
    """Find the factories and the uncovered sites in files and folders.

    Args:
        paths: Relative to `root`, or absolute. Folders are searched, but not hidden ones, virtual
            environments, installed packages and build folders in them.
        root: The folder that all paths in the result are relative to.
        prefix: Of the factories to find. Sites are looked for only where it is `AUDIT`.

    Raises:
        PathError: One of `paths` does not exist, or is no file of Python code.
    """
    files = python_files(paths, Path(root).absolute())
    seen = _Seen(prefix, uncovered=files.unread)
    for path, file in files.paths.items():
        _look_at(path, file, seen)
    sites = [
        Uncovered(path=path, line=site.line, what=site.what)
        for path, site in seen.sites
        if site.names.isdisjoint(seen.mentions)
    ]
    return Discovery(
        entries=tuple(sorted(seen.entries, key=lambda entry: (entry.path, entry.line))),
        uncovered=tuple(
            sorted([*seen.uncovered, *sites], key=lambda one: (one.path, one.line, one.what))
        ),
        unreadable=tuple(sorted(seen.unreadable, key=lambda one: (one.entry.path, one.entry.line))),
    )


def _look_at(path: str, file: Path, seen: _Seen) -> None:
    data = read(file)
    if isinstance(data, Unparsed):
        _take_unparsed(path, data, seen)
    elif _is_of_interest(data, seen.prefix):
        parsed = parse(data)
        if isinstance(parsed, Parsed):
            _take(path, parsed, seen)
        else:
            _take_unparsed(path, parsed, seen)


def _is_of_interest(data: bytes, prefix: str) -> bool:
    """Say whether a file can hold anything for us: parsing is what takes time in a large tree."""
    # Null bytes are most often UTF-16, where they stand between the letters.
    data = data.replace(b"\0", b"")
    sites = prefix == AUDIT and b"torch" in data and bool(_COMPILE.search(data))
    return prefix.encode() in data or sites


def _take(path: str, parsed: Parsed, seen: _Seen) -> None:
    names = imported_names(ast.walk(parsed.tree))
    own: set[str] = set()
    for node in factories(parsed.tree, seen.prefix):
        no_entry = not_an_entry(node)
        if no_entry is not None:
            seen.uncovered.append(Uncovered(path=path, line=node.lineno, what=no_entry))
            continue
        own.add(node.name)
        entry = entry_point(path, node.lineno, node.name)
        message = fault(node, seen.prefix)
        if message is None:
            seen.entries.append(entry)
            seen.mentions |= mentioned(node, names)
        else:
            seen.unreadable.append(Unreadable(entry=entry, message=message))
    seen.uncovered.extend(
        Uncovered(path=path, line=line, what=what)
        for line, what in lookalikes(parsed.tree, names, seen.prefix)
    )
    if seen.prefix != AUDIT:
        return
    sites = compile_sites(parsed.tree, parsed.text, names)
    # What stands in a factory is traced with it.
    seen.sites.extend((path, site) for site in sites if own.isdisjoint(site.around[:1]))


def _take_unparsed(path: str, unparsed: Unparsed, seen: _Seen) -> None:
    entries = [
        entry_point(path, line, name)
        for name, line in factory_names(unparsed.text, seen.prefix).items()
    ]
    seen.unreadable.extend(Unreadable(entry=entry, message=unparsed.message) for entry in entries)
    what = f"not read: {unparsed.message}"
    seen.uncovered.append(Uncovered(path=path, line=unparsed.line, what=what, kind="unread"))
