"""What a terminal can show, what its users want to see, and how they stop us."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from types import FrameType
    from typing import TextIO

_STOPS: Final = ("SIGINT", "SIGTERM", "SIGHUP")


class Stopped(KeyboardInterrupt):
    """A signal asks us to go: an interrupt to all who clean up after one."""

    def __init__(self, number: int) -> None:
        """Keep the exit code that says which signal."""
        super().__init__()
        self.exit_code = 128 + number


def catch_signals() -> None:
    """Let the first signal that asks us to go raise `Stopped`; later ones do nothing.

    A second one would end the killing of the children half-way. One that whoever started us
    ignores stays ignored.
    """
    for number in _signals():
        if signal.getsignal(number) in {signal.SIG_DFL, signal.default_int_handler}:
            signal.signal(number, _stop)


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    for other in _signals():
        signal.signal(other, signal.SIG_IGN)
    raise Stopped(number)


def _signals() -> list[signal.Signals]:
    """Give the signals that ask us to go, as far as this system has them."""
    return [signal.Signals[name] for name in _STOPS if name in signal.Signals.__members__]


def open_closed_streams() -> None:
    """Give each standard stream that our caller closed an empty end; else the next file is it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - until we exit


def terminal_width() -> int:
    """Give the columns of the terminal; of COLUMNS, else 100, where there is none."""
    return max(40, shutil.get_terminal_size((100, 24)).columns)


def has_color(stream: TextIO) -> bool:
    """Say whether `stream` takes colors: as the environment says, else if it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return can_move(stream)


def can_move(stream: TextIO) -> bool:
    """Say whether `stream` is a terminal that obeys escape codes."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"
