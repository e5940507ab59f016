"""Bodies of higher-order operators that a trace begins and cannot end.

The call of the operator is then done for real, as a whole. What the trace of the body has written
must not be there twice: the analysis starts over and leaves that body out. Frames of the body that
run in the real call are traced on their own; the others stay unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import exc

from graphaudit._dynamo.see_through.signals import translators

if TYPE_CHECKING:
    from types import CodeType

    from graphaudit._dynamo.see_through.below import Watcher
    from graphaudit._dynamo.see_through.record import Draft, Record

_WHY: Final = "the body of a higher-order operator was given up: its breaks may be missing"

Position = tuple[tuple[Any, int], ...]


class Bodies:
    """Knows the calls whose bodies were given up."""

    def __init__(self) -> None:
        self._given_up: dict[Position, Any] = {}  # position of a call -> what failed in its body
        self._unfinished: list[tuple[Draft, frozenset[CodeType]]] = []

    def failure_at(self, tx: Any) -> Any | None:
        """Give what failed in the body of a call, if the call is to be done for real at once."""
        return self._given_up.get(_position(tx)) if self._given_up else None

    def met(self, tx: Any, error: Any) -> None:
        """Note where a failure was met first."""
        if not hasattr(error, "noted_frames"):
            error.noted_frames = _graph_depth(tx), [one.f_code for one in translators(tx)]

    def is_left(self, tx: Any, error: Any) -> bool:
        """Tell whether a failure has come out of the body that it was met in."""
        return bool(_graph_depth(tx) < error.noted_frames[0])

    def give_up(self, tx: Any, error: Any, draft: Draft) -> None:
        """Do the call at which a translator stands for real from now on.

        Raises:
            RestartAnalysis: The body must be left out from the start.
        """
        position = _position(tx)
        if position in self._given_up:
            return
        self._given_up[position] = error
        inner = error.noted_frames[1][: -len(position)]
        self._unfinished.append((draft, frozenset(inner)))
        raise exc.RestartAnalysis(restart_reason=_WHY)

    def forget_positions(self) -> None:
        """Begin another call."""
        self._given_up.clear()

    def doubt(self, record: Record, watcher: Watcher) -> None:
        """Note the bodies of which a part has not been traced by any other way."""
        for draft, codes in self._unfinished:
            if not all(map(watcher.has_traced, codes)):
                record.doubt_at(draft.stack, _WHY)


def _position(tx: Any) -> Position:
    return tuple((one.f_code, one.current_instruction.offset) for one in translators(tx))


def _graph_depth(tx: Any) -> int:
    tracer, depth = tx.output.current_tracer, 0
    while tracer.parent is not None:
        tracer, depth = tracer.parent, depth + 1
    return depth
