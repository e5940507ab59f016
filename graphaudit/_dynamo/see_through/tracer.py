"""What happens at the patched points while a see-through trace runs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import exc

from graphaudit._dynamo import stacks
from graphaudit._dynamo.see_through import frames, transforms
from graphaudit._dynamo.see_through.again import Again
from graphaudit._dynamo.see_through.bodies import Began, Bodies
from graphaudit._dynamo.see_through.emulation import emulate, name_of
from graphaudit._dynamo.see_through.failures import is_indivisible, is_secondary
from graphaudit._dynamo.see_through.opcodes import emulation
from graphaudit._dynamo.see_through.raising import raise_observed
from graphaudit._dynamo.see_through.signals import (
    GRAPH_BREAKS,
    Abort,
    CannotGoOn,
    RaisesLate,
    codes_of,
    is_control,
    is_reason,
    skipped,
)
from graphaudit._dynamo.see_through.steps import Step, Steps
from graphaudit._dynamo.see_through.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import CodeType
    from typing import NoReturn

    from graphaudit._dynamo.see_through.below import Watcher
    from graphaudit._dynamo.see_through.record import Draft, Record
    from graphaudit._dynamo.see_through.target import Target

# instructions about an object that another one has made real: where it lies on the stack
_CONTINUING: Final = {"FOR_ITER": -1, "CHECK_EG_MATCH": -2, "PREP_RERAISE_STAR": -2}
_RESTARTS: Final = 3  # Dynamo itself restarts once or twice at the return


class Tracer:
    """Follows one call after another; the record is common to all."""

    def __init__(
        self,
        record: Record,
        watcher: Watcher,
        *,
        fullgraph: bool,
        target: Target | None = None,
    ) -> None:
        self.fullgraph = fullgraph
        self.target = target  # the one site that is left to Dynamo
        self.has_traced = False
        self._record = record
        self._watcher = watcher
        self._steps = Steps(watcher)
        self._originals = watcher.originals
        self._bodies = Bodies()
        self._world: World | None = None
        self._root: CodeType | None = None
        self._restarts = 0
        self._call: Callable[..., Any] = self.begin
        self._is_whole = True
        self.is_skipping = False  # a frame that another one has been through already
        self._outputs: list[Any] = []
        self._is_kept_whole = False

    @property
    def is_stepping(self) -> bool:
        """Whether a real step runs: what is compiled below it is none of ours."""
        return self._steps.is_running

    def begin(self, call: Callable[..., Any]) -> None:
        """Note which call comes next."""
        self._call = call

    def enter(self, code: CodeType) -> None:
        """Note that Dynamo is about to trace a frame of its own."""
        self.has_traced = True
        above = frames.callers(stacks.above_dynamo())
        self._record.called_from(above)
        self._is_whole = frames.is_whole(self._call, above)
        self.is_skipping = self._watcher.has_traced(code) and not self._is_whole

    def leave(self, error: exc.SkipFrame) -> None:
        """End a frame that Dynamo skips: Python runs it, and what it calls is taken up in turn.

        Raises:
            SkipFrame: `error`, for Dynamo to go on.
            Abort: There is nothing besides the frame.
        """
        if not getattr(error, "is_ours", False):
            self._record.doubt_at((), f"Dynamo skipped a frame: {error}")
        self._give_back()
        self._originals.put_back()
        if self._is_whole:
            raise Abort(None)
        raise error

    @property
    def is_left_alone(self) -> bool:
        """Whether all is Dynamo's own now: in a real step, and from the target on."""
        return self.is_stepping or bool(self.target and self.target.is_reached)

    @property
    def may_split(self) -> bool:
        """Whether Dynamo may compile what precedes a break, as it does outside such a trace."""
        return self.is_left_alone or (self.target is not None and not self._is_kept_whole)

    @contextmanager
    def kept_whole(self) -> Iterator[None]:
        """Have an instruction raise its break that would split the graph at once."""
        outer, self._is_kept_whole = self._is_kept_whole, True
        try:
            yield
        finally:
            self._is_kept_whole = outer

    def is_reason(self, tx: Any, error: Exception) -> bool:
        """Tell whether a failure is one to do the step for real."""
        if self.is_left_alone or not is_reason(tx, error):
            return False
        return self.target is None or not self.target.reach(tx, error, self._record)

    def watch(self, tx: Any, go_on: Callable[[], object]) -> None:
        """Note the calls of the functions that the target is inlined in, if a failure is at it."""
        if self.target is not None and self.target.is_reached and not self.is_stepping:
            self.target.watch(tx, self._watcher, go_on)

    def begun(self, tx: Any) -> Began:
        """Give how far the trace of a frame is."""
        is_known = self._world is not None and self._world.output is tx.output
        return Began(self._steps.replay.position if is_known else 0, transforms.depth())

    def before_call(self, function: Any) -> None:
        """Run what a call may end the life of."""
        if self._world is not None:
            self._world.before_leaving(function)

    def call(self, tx: Any, error: Any, began: Began, function: Any, args: Any, kwargs: Any) -> Any:
        """Do a call for real; a tracker of its result."""
        self._join(error, function)  # one `with`, one site
        step = self._step(tx, error, began, [function, *args, *kwargs.values()])
        named = step.world.values.named(kwargs)
        operands = step.world.values.many(args)
        return step.wrap(step.do("call", step.real(function), operands, named))

    def instruction(self, tx: Any, error: Any, began: Began, inst: Any, original: Any) -> None:
        """Do any other instruction for real."""
        known = emulation(inst, tx.f_globals)
        operands = known.operands if known else 1
        if name_of(inst) in _CONTINUING:  # one loop, one `try` with `except*`: one site
            self._join(error, tx.stack[_CONTINUING[name_of(inst)]])
        step = self._step(tx, error, began, tx.stack[-operands:] if operands else [])
        try:
            emulate(step, inst, original)
        except CannotGoOn as why:
            is_branch = "JUMP" in inst.opname and "IF" in inst.opname
            if isinstance(why, RaisesLate) or not is_branch:
                raise
            tx.pop()
            self._record.doubt_at(step.draft.stack, f"the branch is a guess: {why}")

    def _join(self, error: Any, vt: Any) -> None:
        """Count a failure about what an earlier step made to the site of that step."""
        if self._world is not None and id(vt) in self._world.continued:
            _, error.noted_site = self._world.continued[id(vt)]

    def recover(self, tx: Any, error: Any, go_on: Callable[[], None]) -> None:
        """Go on behind a failure, or raise it again: then the caller's frame tries its own call."""
        try:
            go_on()
        except exc.ObservedException:
            raise
        except exc.RestartAnalysis:
            self._close_world()
            raise
        except RaisesLate as late:
            raise_observed(self._world_of(tx), tx, late.error)
        # one of our own failures must not pass for a break one frame further out
        except Exception as why:
            error.why_stopped = getattr(error, "why_stopped", f"{type(why).__name__}: {why}")
            raise error from why
        if isinstance(error, exc.ObservedException):
            exc.handle_observed_exception(tx)  # it was Dynamo's mistake: Python raised nothing

    def at_return(self, tx: Any, inst: Any, original: Any) -> NoReturn:
        """End the root frame. Dynamo builds its graph: some breaks are decided only there.

        Raises:
            Abort: The call is at its end: no code is installed, nothing runs.
            SkipFrame: There are more frames: Python runs this one.
            RestartAnalysis: Dynamo asks for it.
        """
        self._outputs.append(tx.output)
        self._watcher.traced({*tx.output.tracing_context.traced_code, tx.f_code})
        try:
            original(tx, inst)
        except exc.RestartAnalysis:
            self._restarts += 1
            if self._restarts <= _RESTARTS:
                raise
        # Dynamo may fail in any way
        except Exception as error:
            if self._is_target(tx, error):
                raise
            if not is_control(error):
                self._failed_at_return(tx, error)
        if self._is_whole:
            raise Abort(None)
        raise skipped()

    def _is_target(self, tx: Any, error: Exception) -> bool:
        """Tell whether a failure at the return is the one that is left to Dynamo."""
        if self.target is None or is_control(error):
            return False
        return self.target.reach(tx, error, self._record)

    def _failed_at_return(self, tx: Any, error: Exception) -> None:
        """Note a break; another failure may be of our own doing once there was a real step."""
        if not len(self._steps.replay) or isinstance(error, GRAPH_BREAKS):
            self._record.note(tx, error)
        else:
            place = stacks.below_us(stacks.of_translator(tx))
            self._record.doubt_at(place, f"at the return: {type(error).__name__}: {error}")

    def failure_at(self, tx: Any) -> Any | None:
        """Give why the call at which a translator stands is to be done for real at once."""
        return None if self.is_left_alone else self._bodies.failure_at(tx)

    def doubt(self) -> None:
        """Note what no trace has been through."""
        self._bodies.doubt(self._record, self._watcher)

    def close(self) -> None:
        """End the trace of one call."""
        self._give_back()

    def put_back(self) -> None:
        """Give the user's containers the content from before all traces."""
        self._originals.put_back()

    def _close_world(self) -> None:
        if self._world is not None:
            self._world.close()
        self._world = None

    def _give_back(self) -> None:
        self._close_world()
        self._bodies.forget_positions()
        for output in self._outputs:
            frames.take_out_globals(output)
        self._outputs.clear()
        self._root = None
        self._restarts = 0
        self._steps.replay.clear()

    def _step(self, tx: Any, error: Any, began: Began, operands: Iterable[Any]) -> Step:
        draft = self._record.note(tx, error, secondary=is_secondary(operands))
        self._bodies.met(tx, error)
        if is_indivisible(tx):
            raise CannotGoOn(f"{tx.f_globals['__name__']} does not work step by step")
        again = self._again(tx, error, began, draft)
        world = self._world_of(tx)
        world.begin_step(tx)
        return Step(tx, world, draft, self._steps, again)

    def _again(self, tx: Any, error: Any, began: Began, draft: Draft) -> Again:
        """Give what a step does that was done before; the body that it ends in may be given up."""
        is_left = self._bodies.is_left(tx, error, began)
        self._bodies.leave(tx, error, draft, is_body=is_left)
        inside = [done for done in self._steps.replay.since(began.steps) if not done.is_pure]
        again = Again(inside, len(codes_of(tx)))
        if is_left:
            again.count()
            self._steps.replay.drop(began.steps)
            self._watcher.traced({*tx.output.tracing_context.traced_code})
            self._bodies.give_up(tx, error, again)
        return again if again.inside else self._bodies.done_at(tx)

    def _world_of(self, tx: Any) -> World:
        if self._world is None or self._world.output is not tx.output:
            self._new_pass(tx)
            self._world = World(tx.output, self._originals)
        return self._world

    def _new_pass(self, tx: Any) -> None:
        """A restarted analysis has a new output graph, but the steps are done."""
        self._close_world()
        self._steps.replay.rewind()
        self._outputs.append(tx.output)
        code = tx.output.root_tx.f_code
        if self._root is not code:
            self._root = code
            self._steps.replay.clear()
