"""Doing one failing step for real."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphaudit._dynamo import stacks
from graphaudit._dynamo.see_through import iterators, stand_ins, state
from graphaudit._dynamo.see_through.again import Again
from graphaudit._dynamo.see_through.outside import left_to_python, outside
from graphaudit._dynamo.see_through.purity import is_pure
from graphaudit._dynamo.see_through.raising import raise_observed
from graphaudit._dynamo.see_through.record import Draft
from graphaudit._dynamo.see_through.replay import Done, Replay
from graphaudit._dynamo.see_through.signals import codes_of
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
        memo = step.world.values.memo
        if done is None:
            done = self._do(step, call, key)
        else:
            iterators.move_real_on(memo, done.taken)
        iterators.move_on(memo, done.taken)
        if done.error is not None:
            raise_observed(step.world, tx, done.error)
        return done.result

    def _do(self, step: Step, call: Call, key: tuple[Any, ...]) -> Done:
        world, tx, again = step.world, step.tx, step.again
        world.catch_up()
        again.count()
        copies = state.before(world, tx)
        above = stacks.below_us(stacks.of_translator(tx))
        done = Done(
            key=key,
            codes=codes_of(tx),
            is_pure=is_pure(call.function, call.args, call.kwargs),
            is_repeated=bool(again.inside),
        )
        self.is_running = True
        watching = self._watcher.watching(above, again.paths)
        try:
            with outside(), left_to_python(), world.transforms.entered(), watching:
                done.result = stand_ins.call(call.function, call.args, call.kwargs)
        # the target's code may raise anything; the trace takes it on
        except (Exception, SystemExit) as error:  # noqa: BLE001
            # Dynamo would try to wrap the frames of a traceback
            error.__traceback__ = error.__context__ = error.__cause__ = None
            done.error = error
        finally:
            self.is_running = False
        done.taken = iterators.taken(world.values.memo)
        self.replay.add(done)
        state.after(world, tx, copies)
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
    again: Again

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
