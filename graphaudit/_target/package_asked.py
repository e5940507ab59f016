"""Who asks a stub for an attribute: a line that counts on it, or a tool that probes for it."""

from __future__ import annotations

import dis
from typing import TYPE_CHECKING, Final

from graphaudit._target.belongs import is_runtime

if TYPE_CHECKING:
    from types import FrameType

_READS: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD"))


def is_written_out(frame: FrameType | None, name: str) -> bool:
    """Tell whether a library's own line reads an attribute by its name: `Kind.__values__`.

    What `hasattr`, `getattr`, the standard library, torch or native code asks for need not exist.

    Args:
        frame: Where the attribute is asked for.
        name: The attribute.
    """
    if frame is None or is_runtime(frame.f_code.co_filename):
        return False
    return any(
        one.offset == frame.f_lasti and one.opname in _READS and one.argval == name
        for one in dis.get_instructions(frame.f_code)
    )
