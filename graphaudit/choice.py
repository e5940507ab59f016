"""Which entries a run is about, and what is said where there are none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from graphaudit import discover
from graphaudit.errors import NoEntries
from graphaudit.model import Discovery
from graphaudit.selection import matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_ENTRY: Final = """\
no entry point in {paths}: write one beside your code, in any scanned file, and scan again:

    import torch

    from my_package import forward

    def audit_forward():
        return forward, (torch.randn(4, 16),)

Its name starts with audit_, it takes no parameters, and it names no device."""
_PAIR: Final = """\
no pair in {paths}: write one beside your code, in any file that is searched, and compare again:

    from my_package import is_cuda, is_cuda_at_import

    def compare_is_cuda():
        return is_cuda, is_cuda_at_import, ()

Its name starts with compare_, it takes no parameters, and it returns two forms of one function and
their arguments."""
_EXAMPLES: Final = {discover.AUDIT: _ENTRY, discover.COMPARE: _PAIR}
_MOST: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is traced, and what it was chosen from."""

    discovery: Discovery  # without the entries that are not traced
    ids: tuple[str, ...]  # of all entries
    named: tuple[str, ...]  # those that were asked for by name
    paths: tuple[str, ...]  # as scanned: POSIX, relative to the root


def choose(
    paths: Sequence[str],
    *,
    root: Path,
    keyword: str | None,
    only: Sequence[str],
    prefix: str = discover.AUDIT,
) -> Choice:
    """Find the entries in files and folders, and choose among them.

    Args:
        paths: Files and folders.
        root: The folder that paths are relative to.
        keyword: Which entries to take, as with `-k`; all without one.
        only: Entries to take, as `path::name`; all where none is named.
        prefix: Of their names.

    Raises:
        NoEntries: There is none, none that `keyword` selects, or one of `only` is not there.
        KeywordError: `keyword` is malformed.
        PathError: One of `paths` cannot be scanned.
    """
    selects = matcher(keyword) if keyword is not None else None
    everything = discover.find(paths, root=root, prefix=prefix)
    ids = _ids(everything)
    if not ids:
        raise NoEntries(_nothing(paths, everything, prefix))
    named = _named(only, ids, root)
    chosen = _chosen(everything, lambda ident: ident in named) if named else everything
    chosen = chosen if selects is None else _chosen(chosen, selects)
    if not _ids(chosen):
        raise NoEntries(_unselected(keyword, ids))
    scanned = sorted({discover.scanned_path(path, root) for path in paths})
    return Choice(discovery=chosen, ids=ids, named=named, paths=tuple(scanned))


def nowhere(notes: Sequence[str]) -> NoEntries:
    """Say that no entry is meant for this machine, or for the platforms that were asked for."""
    listed = _list("Its .platforms leaves out each entry:", [f"    {note}" for note in notes])
    return NoEntries("\n".join(["nothing can be traced here.", *listed]))


def _ids(discovery: Discovery) -> tuple[str, ...]:
    """Give the ids of all entries, also of those in files that cannot be read."""
    unreadable = [one.entry for one in discovery.unreadable]
    return tuple(sorted({entry.id for entry in [*discovery.entries, *unreadable]}))


def _named(only: Sequence[str], ids: Sequence[str], root: Path) -> tuple[str, ...]:
    """Give the ids of the entries that are asked for by name."""
    found = []
    for place in only:
        path, _, name = place.partition("::")
        ident = f"{discover.scanned_path(path, root)}::{name}"
        if ident not in ids:
            there = [
                one.partition("::")[2] for one in ids if one.startswith(f"{ident[: -len(name)]}")
            ]
            raise NoEntries(f"{path} has no entry {name}; it has {', '.join(there) or 'none'}.")
        found.append(ident)
    return tuple(dict.fromkeys(found))


def _chosen(everything: Discovery, selects: Callable[[str], bool]) -> Discovery:
    """Leave out the entries that are not selected."""
    return replace(
        everything,
        entries=tuple(entry for entry in everything.entries if selects(entry.id)),
        unreadable=tuple(one for one in everything.unreadable if selects(one.entry.id)),
    )


def _nothing(paths: Sequence[str], discovery: Discovery, prefix: str) -> str:
    """Say what to write, and where it would be of use."""
    by_kind: dict[str, list[str]] = {"site": [], "unread": []}
    for one in discovery.uncovered:
        by_kind[one.kind].append(f"    {one.path}:{one.line}: {one.what}")
    unread = _list("These could not be looked at:", by_kind["unread"])
    sites = _list("These places could have one:", by_kind["site"])
    return "\n\n".join([_EXAMPLES[prefix].format(paths=", ".join(paths)), *unread, *sites])


def _unselected(keyword: str | None, ids: Sequence[str]) -> str:
    """Say what could have been selected."""
    listed = _list("The entries are:", [f"    {ident}" for ident in ids])
    return "\n".join([f"-k {keyword!r} selects no entry.", *listed])


def _list(heading: str, lines: Sequence[str]) -> list[str]:
    """Give a heading with the first lines under it; nothing where there are no lines."""
    if not lines:
        return []
    more = len(lines) - _MOST
    rest = [f"    and {more} more"] if more > 0 else []
    return ["\n".join([heading, *lines[:_MOST], *rest])]
