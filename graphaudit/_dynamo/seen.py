"""What Dynamo did at one place: a break, an error, another graph of the same function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from torch._dynamo import exc
from torch._dynamo.output_graph import OutputGraph

from graphaudit._dynamo import raised, recompiles, stacks
from graphaudit._target.source import locate
from graphaudit.model import Cause, Effect

_DROPPED: Final = "Failed to handle graph break gracefully"
_REST_EAGER: Final = "Encountered graph break that we cannot resume from"
_DISABLED: Final = frozenset({"GB0098", "GB0099"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One break or error."""

    effect: Effect
    causes: tuple[Cause, ...]
    stack: stacks.Stack
    above: stacks.Stack
    soft: bool = True  # False for an error that a plain compile would not swallow


def effect_of(reason: str, chain: tuple[Cause, ...]) -> Effect:
    """Say what becomes of a frame, by the words in front of the reason."""
    if reason.startswith(_DROPPED):
        return "frame_dropped"
    if reason.startswith(_REST_EAGER):
        return "rest_eager"
    return "opaque" if chain[0].gb in _DISABLED else "resumes"


def ended_for(error: BaseException) -> Any:
    """Give Dynamo's reason to end a graph, out of an error that was raised while it did."""
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code is OutputGraph.compile_subgraph.__code__:
            return at.tb_frame.f_locals.get("reason")
        at = at.tb_next
    return None


def swallowed(error: BaseException, code: Any) -> Seen:
    return Seen(
        effect="not_compiled",
        causes=(raised.cause_of(error),),
        stack=stacks.of_exception(error) or (locate(code.co_filename, code.co_firstlineno),),
        above=stacks.above_dynamo(),
    )


def recompiled(reasons: list[str], frame: Any) -> Seen:
    return Seen(
        effect="recompile",
        causes=(recompiles.cause(reasons, frame),),
        stack=recompiles.stack(reasons, frame),
        above=stacks.above_dynamo(),
    )


def of_error(error: BaseException) -> Seen:
    return Seen(
        effect="error",
        causes=(raised.cause_of(error),),
        stack=stacks.of_exception(error) or stacks.of_traceback(error),
        above=(),
        soft=isinstance(error, exc.UserError),
    )
