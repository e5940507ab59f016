"""What an entry's id says: the file, the factory's name, the number of the input."""

from __future__ import annotations

import re
from typing import Final

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
