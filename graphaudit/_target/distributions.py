"""Metadata of distributions, for packages that are not as installed."""

from __future__ import annotations

import importlib.metadata
import re
from functools import cache
from typing import TYPE_CHECKING

from graphaudit._target.stubs import VERSION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


def known(
    found: Iterable[importlib.metadata.Distribution],
    context: importlib.metadata.DistributionFinder.Context,
    *,
    without: Collection[str],
    stubs: Collection[str],
) -> Iterator[importlib.metadata.Distribution]:
    """Give the distributions that are to be seen.

    Args:
        found: What is really installed.
        context: Which one is asked for.
        without: Packages that are not there; a distribution that brings one is not either.
        stubs: Packages with a stand-in, each a distribution of its own unless one is found.
    """
    gone = {name for name in without if "." not in name}
    seen: set[str] = set()
    for one in found:
        if not gone & _packages(one):
            seen |= {_plain(one.metadata["Name"] or "")} if stubs else set()
            yield one
    for name in stubs:
        asked = context.name is None or _plain(context.name) == _plain(name)
        if "." not in name and asked and _plain(name) not in seen:
            yield _StubDistribution(name)


@cache
def _packages(one: importlib.metadata.Distribution) -> frozenset[str]:
    """Name the top-level packages of a distribution."""
    listed = (one.read_text("top_level.txt") or "").split()
    files = (str(file).partition("/")[0].removesuffix(".py") for file in one.files or ())
    return frozenset(listed or files)


def _plain(name: str) -> str:
    """Give the name as it is compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


class _StubDistribution(importlib.metadata.Distribution):
    """The metadata of a stand-in: a name and a version."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read_text(self, filename: str) -> str | None:
        """Give the one file that there is."""
        text = f"Metadata-Version: 2.1\nName: {self._name}\nVersion: {VERSION}\n"
        return text if filename == "METADATA" else None

    def locate_file(self, path: object) -> object:  # type: ignore[override]
        """Give no file."""
        return path
