"""Bodies of higher-order operators that a trace begins and cannot end.

The call of the operator is then done for real, as a whole. What the trace of the body has written
must not be there twice: the analysis starts over and leaves that body out. Frames of the body that
run in the real call are traced on their own; the others stay unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import exc

from graphaudit._dynamo.see_through import transforms
from graphaudit._dynamo.see_through.again import Again
from graphaudit._dynamo.see_through.signals import codes_of, translators
from graphaudit._target.belongs import is_runtime

if TYPE_CHECKING:
    from types import CodeType
    from typing import NoReturn

    from graphaudit._dynamo.see_through.below import Watcher
    from graphaudit._dynamo.see_through.record import Draft, Record

_WHY: Final = "the body of a higher-order operator was given up: its breaks may be missing"
_WHY_FRAME: Final = "a call was done for real behind a failure in it: its breaks may be missing"

Position = tuple[tuple[Any, int], ...]


@dataclass(frozen=True, slots=True)
class Began:
    """How far a trace was when it came to an instruction."""

    steps: int  # that its pass had come by
    depth: int  # of function transforms that it was in


class Bodies:
    """Knows the calls whose bodies were given up."""

    def __init__(self) -> None:
        # position of a call -> what failed in its body, what was done in it
        self._given_up: dict[Position, tuple[Any, Again]] = {}
        self._unfinished: dict[Draft, tuple[frozenset[CodeType], str]] = {}

    def failure_at(self, tx: Any) -> Any | None:
        """Give what failed in the body of a call, if the call is to be done for real at once."""
        return self._given_up_at(tx)[0]

    def done_at(self, tx: Any) -> Again:
        """Give what was done for real of such a call before its body was given up."""
        return self._given_up_at(tx)[1]

    def _given_up_at(self, tx: Any) -> tuple[Any | None, Again]:
        known = self._given_up.get(_position(tx)) if self._given_up else None
        return known or (None, Again())

    def met(self, tx: Any, error: Any) -> None:
        """Note where a failure was met first."""
        if not hasattr(error, "noted_frames"):
            error.noted_frames = _graph_depth(tx), codes_of(tx)

    def leave(self, tx: Any, error: Any, draft: Draft, *, is_body: bool) -> None:
        """Note which frames a failure has come out of: their ends are not traced."""
        frames = error.noted_frames[1]
        left = frames[: len(frames) - len(codes_of(tx))]
        if left:
            codes, why = self._unfinished.get(draft, (frozenset(), _WHY_FRAME))
            self._unfinished[draft] = codes.union(left), _WHY if is_body else why

    def is_left(self, tx: Any, error: Any, began: Began) -> bool:
        """Tell whether a failure has come out of the body that it was met in.

        Then the trace cannot go on behind it: its graph, or its function transform, is not ended.
        """
        if _position(tx) in self._given_up:
            return False
        return bool(_graph_depth(tx) < error.noted_frames[0]) or began.depth < transforms.depth()

    def give_up(self, tx: Any, error: Any, again: Again) -> NoReturn:
        """Do the call at which a translator stands for real from now on.

        Raises:
            RestartAnalysis: The body must be left out from the start.
        """
        self._given_up[_position(tx)] = error, again
        raise exc.RestartAnalysis(restart_reason=_WHY)

    def forget_positions(self) -> None:
        """Begin another call."""
        self._given_up.clear()

    def doubt(self, record: Record, watcher: Watcher) -> None:
        """Note the frames of which a part has not been traced by any other way."""
        for draft, (codes, why) in self._unfinished.items():
            if any(not (is_runtime(one.co_filename) or watcher.has_traced(one)) for one in codes):
                record.doubt_at(draft.stack, why)


def _position(tx: Any) -> Position:
    return tuple((one.f_code, one.current_instruction.offset) for one in translators(tx))


def _graph_depth(tx: Any) -> int:
    tracer, depth = tx.output.current_tracer, 0
    while tracer.parent is not None:
        tracer, depth = tracer.parent, depth + 1
    return depth
