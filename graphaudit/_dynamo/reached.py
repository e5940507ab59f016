"""Which of some functions a call gets to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from graphaudit._target.pair import code_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType


def reached(watched: Sequence[Callable[..., Any]], call: Callable[[], object]) -> tuple[str, ...]:
    """Call, and name those functions whose code ran, in the order of their first calls.

    Args:
        watched: Functions written in Python. One behind a cache that holds an answer does not run.
        call: Raises nothing.
    """
    if not watched:  # nothing is slowed down, and no profiler of the target's is in the way
        call()
        return ()
    names = {code_of(function): _name(function) for function in watched}
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code: CodeType = frame.f_code
        if event == "call" and code in names:
            found[names[code]] = None

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return tuple(found)


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"
