"""Recognised by the builtin `open`, a file object's method, or the functions that touch a disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import builtin, in_context, skipped_name, skips_from
from graphaudit.rules.stream_write import stream_write

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA009"

_SYSTEM_CALLS: Final = frozenset(
    {"stat", "lstat", "access", "listdir", "scandir", "open", "mkdir", "remove", "unlink", "rename"}
)
_FILES: Final = (
    "(TextIOWrapper)",
    "(BufferedReader)",
    "(BufferedWriter)",
    "(BufferedRandom)",
    "(FileIO)",
)


def file_access(found: Break) -> bool:
    """Files are read or looked for inside compiled code.

    Why: The answer of `{callee}` depends on the disk, which a graph cannot hold.

    Fix: Read or test the file before the compiled call (at import, in `__init__`) and keep the
        answer in an attribute or a constant.

    Bad:
        import os

        def f(x):
            if os.path.exists("tuned.json"):
                return x * 2
            return x

    Good:
        import os

        TUNED = os.path.exists("tuned.json")

        def f(x):
            return x * 2 if TUNED else x

    Dynamo:
        GB0007 Attempted to call function marked as skipped
        GB0059 Failed to trace builtin operator

    Notes: `os.path.exists`, `Path.exists` and `shutil.which` all end in `stat`, which is what
        Dynamo names. `os.path.join` and building a `Path` are traced. `torch.save` and
        `torch.load` are of this kind; what writes to an open file is GA049.
    """
    if stream_write(found):
        return False
    return (
        builtin(found) == "open"
        or (skips_from(found, "posix", "nt") and skipped_name(found) in _SYSTEM_CALLS)
        or skips_from(
            found, "io", "_io", "shutil", "pathlib", "tempfile", "glob", "torch.serialization"
        )
        or in_context(found, *_FILES)
    )
