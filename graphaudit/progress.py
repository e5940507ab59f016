"""One line on a terminal that says what is being traced, gone when the scan is over."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from graphaudit._terminal import can_move
from graphaudit.reporters import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from graphaudit.trace import Progress

_CLEAR: Final = "\r\x1b[2K"


@contextmanager
def shown(stream: TextIO) -> Iterator[Callable[[Progress], None]]:
    """Give a function that shows each progress on `stream`; nothing where no one watches it."""
    if not _watched(stream):
        yield _ignore
        return
    line = _Line(stream)
    try:
        yield line.show
    finally:
        line.clear()


def _watched(stream: TextIO) -> bool:
    """Say whether `stream` is a terminal with somebody before it that can rewrite a line."""
    return can_move(stream) and not os.environ.get("CI")


def _ignore(_: Progress) -> None:
    """Show nothing."""


class _Line:
    """The line, and how many entries are done."""

    def __init__(self, stream: TextIO) -> None:
        """Write to `stream`, a terminal."""
        self._stream = stream
        self._done = 0

    def show(self, progress: Progress) -> None:
        """Replace the line; one that is wider than the terminal could not be cleared."""
        if self._done >= progress.total:
            self._done = 0  # another run begins
        self._done += progress.state == "done"
        text = f"{self._done}/{progress.total}  {progress.state:<6}  {progress.entry}"
        columns = shutil.get_terminal_size().columns - 1
        self._write(_CLEAR + visible(text)[:columns])

    def clear(self) -> None:
        """Take the line away."""
        self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
