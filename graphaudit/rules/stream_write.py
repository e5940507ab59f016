"""Recognised by a writing method of a file object, or the system call below it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root, skipped_name, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA049"

_WRITES: Final = re.compile(
    r"\((?:TextIOWrapper|BufferedWriter|BufferedRandom|FileIO)\) "
    r"(?:write|writelines|flush|truncate|close)\b"
)


def stream_write(found: Break) -> bool:
    """Something is written to a stream or a file inside compiled code.

    Why: `{callee}` changes a file while the model runs; a graph can only hold tensor operators, so
        Dynamo ends the graph here. What helps with `print` (reordering) is not for methods.

    Fix: Delete the call, or run it only in eager: `if not torch.compiler.is_compiling():`. To keep
        it, collect the text in a list and write it after the compiled call.

    Bad:
        import os

        log = open(os.devnull, "w")

        def f(x):
            log.write("step")
            return x + 1

    Good:
        lines = []

        def f(x):
            lines.append("step")
            return x + 1  # and the caller writes the lines

    Dynamo:
        GB0156 Unsupported method call
        GB0007 Attempted to call function marked as skipped

    Notes: `sys.stdout.write`, `sys.stderr.write` and `flush` are of this kind, and `os.write`.
    """
    writes = _WRITES.search(root(found).context) is not None
    return writes or (skips_from(found, "posix", "nt") and skipped_name(found) == "write")
