"""Finding the module that an import failed of, in a copy of the process."""

from __future__ import annotations

import faulthandler
import fcntl
import os
import signal
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphaudit._target.belongs import is_runtime, is_targets
from graphaudit._target.package_rules import Rules, Treatment, is_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

MOST: Final = 200
_LONGEST_NAME: Final = 1_000
# what a missing or unusable native library is reported by
_ABSENCES: Final = (ImportError, OSError, RuntimeError)


def in_copy(ask: Callable[[], str]) -> str:
    """Ask something in a copy of the process, whose end leaves this one as it was.

    Args:
        ask: Gives at most 1,000 characters.

    Returns:
        Its answer; "" if the copy ended without one: it crashed, or the target ended it.
    """
    answer, answering = os.pipe()
    lifeline, alive = os.pipe()
    try:
        copy = _forked()
        if copy == 0:
            _answer_and_end(ask, answering, lifeline, alive)
        os.waitpid(copy, 0)
        # a process that the target left behind may hold the other end: there is no end to wait for
        os.set_blocking(answer, False)
        return os.read(answer, 4 * _LONGEST_NAME).decode()
    except BlockingIOError:
        return ""
    finally:
        for fd in (answer, answering, lifeline, alive):
            os.close(fd)


def culprit(error: BaseException, rules: Rules) -> str | None:
    """Name the module whose absence or failure an error is about, if a stub may stand in for it.

    Never one of the standard library, of the target's own, of what the audit runs on, or one that
    is away or broken because it was asked to be.
    """
    for one in _causes(error):
        if name := _named(one):
            return name if _may_stand_in(name, rules) else None
    # a name that a module lacks although it is there: no stub mends that
    if not isinstance(error, _ABSENCES) or getattr(error, "name", None):
        return None
    name = _module_that_raised(error.__traceback__)
    return name if name and _may_stand_in(name, rules) else None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Give an error and what it was raised for, as long as that is about an absence."""
    seen: set[int] = set()
    while isinstance(error, _ABSENCES) and id(error) not in seen:
        seen.add(id(error))
        yield error
        context = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or context


def _named(error: BaseException) -> str | None:
    """Give the module that an ImportError names."""
    if not isinstance(error, ImportError) or not error.name:
        return None
    before, quote, rest = str(error).partition("cannot import name '")
    if before or not quote:
        return error.name
    # a module that is no package has nothing below it
    if not Path(error.path or "").name.startswith("__init__."):
        return None
    # a circular import is a mistake, but not where a package asks for a part of its own
    if "partially initialized" in rest and _asker(error) != error.name:
        return None
    return f"{error.name}.{rest.partition(chr(39))[0]}"


def _asker(error: BaseException) -> object:
    """Give the name of the module whose line raised an error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__") if trace else None


def _module_that_raised(trace: TracebackType | None) -> str | None:
    """Give the innermost module that was being imported, unless it is the target's own."""
    name = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name == "<module>" and not is_runtime(code.co_filename):
            theirs = not is_targets(code.co_filename)
            name = str(trace.tb_frame.f_globals.get("__name__")) if theirs else None
        trace = trace.tb_next
    return name


def _may_stand_in(name: str, rules: Rules) -> bool:
    top = name.partition(".")[0]
    asked_for = rules.treatment(name) in (Treatment.WITHOUT, Treatment.BROKEN)
    if asked_for or is_needed(name) or top in sys.stdlib_module_names:
        return False
    return all(part.isidentifier() for part in name.split(".")) and not _is_targets(top)


def _is_targets(top: str) -> bool:
    try:
        spec = find_spec(top)
    # a module without a spec
    except ValueError:
        return False
    if spec is None:
        return False
    places = [spec.origin] if spec.has_location else [f"{one}/" for one in _locations(spec)]
    return any(is_targets(str(place)) for place in places)


def _locations(spec: object) -> list[str]:
    return list(getattr(spec, "submodule_search_locations", None) or ())


def _forked() -> int:
    with warnings.catch_warnings():
        # Python 3.12 warns of any second thread: ours only waits for the parent's end
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _answer_and_end(ask: Callable[[], str], answering: int, lifeline: int, alive: int) -> None:
    try:
        os.close(alive)
        _end_with(lifeline)
        _silence()
        os.write(answering, ask()[:_LONGEST_NAME].encode())
    finally:
        # no handler, no flush: they are the first process's
        os._exit(0)


def _end_with(lifeline: int) -> None:
    """Let the kernel end this process when the pipe's other end is gone; it needs no thread."""
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def _silence() -> None:
    # a crash of the copy is none of the first process
    faulthandler.disable()
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
