"""Which Python and torch a scan can work on. Pure: it judges what it is told."""

from __future__ import annotations

import re
from typing import Final

_PYTHONS: Final = ((3, 11), (3, 13))  # each new Python has other bytecode, which Dynamo traces
_TORCHES: Final = ((2, 11), (2, 14))  # a newer one is tried, with a note
_RELEASE: Final = re.compile(r"(\d+)\.(\d+)")


def refusal(*, python: str, torch: str | None = None) -> str:
    """Say why nothing can be traced on these versions, and what to do; empty if it can.

    Args:
        python: A version of Python.
        torch: One of torch; not judged if not given.
    """
    if not _PYTHONS[0] <= _release(python) <= _PYTHONS[1]:
        return (
            f"graphaudit knows the bytecode of Python {_range(_PYTHONS)}, and this is {python}: "
            "install graphaudit and torch for one of these"
        )
    if torch is not None and () < _release(torch) < _TORCHES[0]:
        return (
            f"graphaudit reads the breaks of torch {_range(_TORCHES)}, and this is {torch}: "
            "install one of these beside it"
        )
    return ""


def stranger(torch: str, why: str) -> str:
    """Say that a torch that is not known lacks what a scan stands on; empty if it is known.

    Args:
        torch: Its version.
        why: What is wrong, in its own words.
    """
    if not caution(torch):
        return ""
    return (
        f"the Dynamo of torch {torch} is not as graphaudit knows it ({why}): "
        f"install torch {_range(_TORCHES)} beside it, or a newer graphaudit"
    )


def caution(torch: str) -> str:
    """Say that a torch was not there when this was checked; empty if it was."""
    release = _release(torch)
    if release and release <= _TORCHES[1]:
        return ""
    return (
        f"torch {torch} is newer than what this version was checked with ({_range(_TORCHES)}): "
        "what Dynamo reports in another way since then may be missing here"
    )


def _range(releases: tuple[tuple[int, int], tuple[int, int]]) -> str:
    return " to ".join(f"{major}.{minor}" for major, minor in releases)


def _release(version: str) -> tuple[int, ...]:
    found = _RELEASE.match(version)
    return (int(found[1]), int(found[2])) if found else ()
