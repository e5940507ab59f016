"""What keeps the target from being imported, found by trying it in copies of the process.

A copy tries again and again, with a stand-in for what failed last. What it did to itself goes with
it; a new copy then tries once more from the start, for a module that was half imported before may
fail in other ways.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphaudit._target.belongs import is_runtime, is_targets
from graphaudit._target.packages import stand_in_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_COPIES: Final = 40
_TRIES: Final = 200  # of one copy
_OURS: Final = str(Path(__file__).parents[1])


def find_missing(import_target: Callable[[], object]) -> tuple[str, ...]:
    """Name the packages that need a stand-in for the target to be imported, in the order found.

    What a `try` of the program's own catches is not among them; nor is anything of the standard
    library, of torch, or of the target.

    Args:
        import_target: Imports it, and raises what that raises.
    """
    found: list[str] = []
    for _ in range(_COPIES):
        more = _in_a_copy(import_target, found)
        if not more:
            break
        found += more
    return tuple(found)


def _in_a_copy(import_target: Callable[[], object], known: list[str]) -> list[str]:
    """Try in a copy of the process; what it found beyond what is known."""
    ours, theirs = os.pipe()
    copy = os.fork()
    if not copy:
        try:
            os.close(ours)
            stand_in_for(known)
            _report(_tried(import_target), theirs)
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as answers:
        names = answers.read().split()
    os.waitpid(copy, 0)
    return [name for name in names if name not in known]


def _report(names: list[str], pipe: int) -> None:
    os.write(pipe, " ".join(names).encode())


def _tried(import_target: Callable[[], object]) -> list[str]:
    found: list[str] = []
    for _ in range(_TRIES):
        try:
            import_target()
        # importing runs the target's code, which may raise anything, SystemExit included
        except BaseException as error:  # noqa: BLE001
            name = _missing(error, is_first=not found)
            if not name or name in found:
                return found
            found.append(name)
            stand_in_for([name])
        else:
            return found
    return found


def _missing(error: BaseException, *, is_first: bool) -> str:
    """Name the module that an error says is missing or cannot be loaded; "" where it is another."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    if name is None and (is_first or isinstance(error, ImportError | OSError)):
        name = _failed_module(error.__traceback__)
    if not name or name.partition(".")[0] in {"torch", "graphaudit", *sys.stdlib_module_names}:
        return ""
    return "" if _is_targets_own(name) else name


def _failed_module(trace: TracebackType | None) -> str | None:
    """Name the innermost module that was being imported, if it is a library's."""
    name = None
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        path = frame.f_code.co_filename
        if frame.f_code.co_name == "<module>" and not path.startswith(("<", _OURS)):
            name = None if is_targets(path) or is_runtime(path) else frame.f_globals.get("__name__")
    return name


def _is_targets_own(name: str) -> bool:
    """Tell whether a module's package is the target's: what it lacks is a mistake of its own."""
    top = name.partition(".")[0]
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return False
    places = [spec.origin, *(spec.submodule_search_locations or ())] if spec else []
    return any(place and is_targets(place) for place in places)
