"""Processes that a target started and that left its process group.

They are found by a variable that the child's environment carries and that they inherit; where
there is no `/proc` they are left alone.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS: Final = 10


def kill_marked(mark: str) -> None:
    """Kill every process whose environment holds `NAME=value`, until none is left.

    A process may fork while the others are killed: so several rounds.
    """
    for _ in range(_ROUNDS):
        found = list(_marked(mark))
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _marked(mark: str) -> Iterator[int]:
    for environment in Path("/proc").glob("[0-9]*/environ"):
        # it ended, or is another user's
        with contextlib.suppress(OSError):
            if mark.encode() in environment.read_bytes().split(b"\0"):
                yield int(environment.parent.name)
