"""Recognised by the module of the skipped function: those that ask the operating system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_library, skips_from
from graphaudit.rules.stream_write import stream_write

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA012"


def host_query(found: Break) -> bool:
    """The process or the host is asked inside compiled code.

    Why: `{callee}` answers for this process and this moment; Dynamo does not trace calls into the
        operating system or the interpreter.

    Fix: Ask once at import and let the compiled code read the constant.

    Bad:
        import os

        def f(x):
            return x * os.cpu_count()

    Good:
        import os

        CORES = os.cpu_count()

        def f(x):
            return x * CORES

    Dynamo:
        GB0007 Attempted to call function marked as skipped

    Notes: `os.environ` and `os.getenv` do not break: the value is read while tracing.
        `platform.machine()` is traced from torch 2.13 on.
    """
    if stream_write(found):
        return False
    return skips_from(
        found,
        "posix",
        "nt",
        "sys",
        "gc",
        "platform",
        "socket",
        "_socket",
        "resource",
        "psutil",
        "subprocess",
        "_posixsubprocess",
        "signal",
        "multiprocessing",
    ) or in_library(found, "<stdlib>/subprocess.py")
