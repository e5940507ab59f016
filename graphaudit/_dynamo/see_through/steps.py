"""Doing one failing step for real."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphaudit._dynamo import stacks
from graphaudit._dynamo.see_through import stand_ins, state
from graphaudit._dynamo.see_through.outside import left_to_python, outside
from graphaudit._dynamo.see_through.raising import raise_observed
from graphaudit._dynamo.see_through.record import Draft
from graphaudit._dynamo.see_through.replay import Done, Replay
from graphaudit._dynamo.see_through.world import World

if TYPE_CHECKING:
    from graphaudit._dynamo.see_through.below import Watcher


class Steps:
    """Does steps, each once however often the analysis restarts."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.replay = Replay()
        self.is_running = False

    def run(self, step: Step, call: Call) -> Any:
        """Give the result of a call on real operands, made outside the trace.

        Raises:
            ObservedException: What the call raised, for the handlers in the trace.
        """
        tx = step.tx
        key = (tx.f_code, tx.current_instruction.offset, call.what)
        done = self.replay.take(key)
        if done is None:
            done = self._done(step, call, key)
            self.replay.add(done)
        if done.error is not None:
            step.draft.went_on(f"{call.what} raised {type(done.error).__name__}")
            raise_observed(step.world, tx, done.error)
        step.draft.went_on(f"{call.what} done for real, gave {type(done.result).__name__}")
        return done.result

    def _done(self, step: Step, call: Call, key: tuple[Any, ...]) -> Done:
        copies = state.before(step.world, step.tx)
        above = stacks.below_us(stacks.of_translator(step.tx))
        self.is_running = True
        try:
            with outside(), left_to_python(), self._watcher.watching(above):
                done = Done(key=key, result=stand_ins.call(call.function, call.args, call.kwargs))
        # the target's code may raise anything; the trace takes it on
        except (Exception, SystemExit) as error:  # noqa: BLE001
            # Dynamo would try to wrap the frames of a traceback
            error.__traceback__ = error.__context__ = error.__cause__ = None
            done = Done(key=key, error=error)
        finally:
            self.is_running = False
        state.after(step.world, step.tx, copies)
        return done


@dataclass(frozen=True, slots=True)
class Call:
    """What a step calls, on real operands."""

    what: str
    function: Callable[..., Any]
    args: Sequence[Any]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """A failing step: the translator that stands at it, and what it needs to be done for real."""

    tx: Any
    world: World
    draft: Draft
    steps: Steps

    def do(
        self,
        what: str,
        function: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Give the real result of a call on real operands."""
        return self.steps.run(self, Call(what, function, args, kwargs or {}))

    def real(self, vt: Any) -> Any:
        """Give the object that a tracker stands for."""
        return self.world.real(vt)

    def wrap(self, value: Any) -> Any:
        """Give a tracker for an object."""
        return self.world.wrap(self.tx, value)
