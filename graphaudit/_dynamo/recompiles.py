"""Recompilations: a later call that the graphs made so far do not fit, and the guard that says so.

Dynamo asks once, before it traces a function again, why each graph that it has was refused
(`get_and_maybe_log_recompilation_reasons`); the newest graph's reason is told, with the value that
its guard finds now.
"""

from __future__ import annotations

import inspect
import linecache
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import external_utils
from torch._dynamo.resume_execution import TORCH_DYNAMO_RESUME_IN_PREFIX

from graphaudit._dynamo import guard_text, stacks
from graphaudit._dynamo.frame_values import value
from graphaudit._target.source import locate
from graphaudit._target.words import short
from graphaudit.model import Cause

if TYPE_CHECKING:
    from collections.abc import Sequence

GB_TYPE: Final = "Recompilation"
_WRAPPER: Final = inspect.getfile(external_utils)


def cause(reasons: Sequence[str], frame: Any) -> Cause:
    """Say which guard failed, and what it is about that changed.

    Args:
        reasons: Dynamo's, one for each graph that it has, the newest first; at least one.
        frame: The frame that none of them fits.
    """
    guard = _read(reasons[0], frame)
    it = guard.told
    after = it.after or (it.before and value(it.expression, frame.f_locals, frame.f_globals))
    return Cause(
        gb=None,
        gb_type=f"{GB_TYPE}: {guard.told.kind}",
        context=short(guard.said),
        explanation=short(_changed(guard, after)),
        hints=(short(guard.hint),) if guard.hint else (),
    )


def stack(reasons: Sequence[str], frame: Any) -> stacks.Stack:
    """Find the line that made the guard, else the function's; empty for a wrapper of torch's."""
    guard = guard_text.read(reasons[0])
    if guard.frames:
        return tuple(locate(path, line) for path, line in guard.frames)
    code = frame.f_code
    path = _file(guard.place[0], code.co_filename) if guard.place else None
    if guard.place and path:
        return (locate(path, guard.place[1]),)
    return () if code.co_filename == _WRAPPER else (locate(code.co_filename, code.co_firstlineno),)


def failed(reasons: Sequence[str], frame: Any) -> str:
    """List the guard that refused each graph, the newest first."""
    return "; ".join(dict.fromkeys(_read(reason, frame).said for reason in reasons))


def _read(reason: str, frame: Any) -> guard_text.Guard:
    """Read a reason; without values after a break: there they come from clocks and the like."""
    guard = guard_text.read(reason)
    resumed = frame.f_code.co_name.startswith(TORCH_DYNAMO_RESUME_IN_PREFIX)
    return guard_text.without_value(guard) if resumed else guard


def _changed(guard: guard_text.Guard, after: str) -> str:
    it = guard.told
    if it.kind == guard_text.SIZES:
        return f"The graph was made for sizes with {guard.said}."
    kind = f"{it.kind[0].upper()}{it.kind[1:]} {it.at}".strip()
    if it.before and it.before == after:
        return f"{kind} is another {after} than the graph was made for."
    if it.before and after:
        return f"{kind} was {it.before} when the graph was made, and is {after} now."
    if it.before:
        return f"{kind} was {it.before} when the graph was made, and is not now."
    return f"{kind} changed since the graph was made."


def _file(end: str, own: str) -> str | None:
    """Find the file whose path Dynamo shortened to its end: the function's, or one it quoted."""
    paths = dict.fromkeys((own, *linecache.cache))
    found = [path for path in paths if f"/{path}".replace("\\", "/").endswith(f"/{end}")]
    return found[0] if found else None
