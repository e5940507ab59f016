"""What a terminal can show, and what its user wants to see."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


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
