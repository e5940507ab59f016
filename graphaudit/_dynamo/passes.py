"""One pass: the inputs of an entry, called in turn on one compiled callable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import config, exc

from graphaudit._dynamo import stacks, torch_state
from graphaudit._dynamo.collector import Collector
from graphaudit._dynamo.coverage.graphs import Graphs
from graphaudit._dynamo.coverage.operators import Operator
from graphaudit._dynamo.coverage.recorder import Recorder
from graphaudit._dynamo.skips import FrameLog
from graphaudit._dynamo.stock import COMPILE
from graphaudit._target.attributes import FactoryError
from graphaudit._target.context import UserContext
from graphaudit._target.factory import Input, same_call
from graphaudit._target.words import described
from graphaudit.model import Effect, Event, Gate

if TYPE_CHECKING:
    from graphaudit._dynamo.seen import Seen

CAPTURE: Final = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}
_NOT_COMPILED: Final = "found no compiled frames"
_NO_DATA: Final = frozenset({"DataDependentOutputException", "DynamicOutputShapeException"})

Context = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a pass compiles and calls."""

    verdict: Gate
    capture: bool = False  # fullgraph's capture settings in a trace that goes on after a break
    options: dict[str, Any] = field(default_factory=dict)
    warm: bool = False  # call each input a second time
    context: Context | None = None
    fake: bool = False  # the inputs are fake tensors
    measure: bool = False  # count operators: in the warm call, else in the first of each input


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The operators of one call."""

    input: int
    operators: tuple[Operator, ...]
    complete: bool  # False where the call raised: what comes later is not counted


@dataclass(slots=True)
class Outcome:
    """What a pass gave for one callable."""

    call: Callable[..., Any]
    events: list[Event] = field(default_factory=list)
    error: Event | None = None  # what the call raised, if it raised
    message: str = ""
    stopped: str = ""  # why the factory gave no further input
    inputs: int = 0  # that the factory gave
    graphs: int = 0  # in the first call
    graphs_of: list[int] = field(default_factory=list)  # by input, in its calls
    measured: list[Measured] = field(default_factory=list)  # an input that cannot be is left out
    frames: FrameLog = field(default_factory=FrameLog)  # what Dynamo did with functions


def run(plan: Plan, inputs: Iterable[Input]) -> list[Outcome]:
    """Trace inputs in turn, all inputs of one callable on one compiled callable.

    An input is asked for only after the one before was traced. Where a call raises, the further
    inputs of the same callable are left out.

    Raises:
        BaseException: Whatever the factory raises before its first input. What it raises later,
            and what a call raises, is part of an outcome.
    """
    outcomes: list[Outcome] = []
    index = 0
    tracer: _Tracer | None = None
    with config.patch(CAPTURE) if plan.capture else nullcontext():
        for item in _given(inputs, outcomes):
            if tracer is None or not same_call(tracer.outcome.call, item.call):
                tracer = _Tracer(plan, item.call)
                outcomes.append(tracer.outcome)
                index = 0
            if tracer.outcome.error is None:
                tracer.trace(item, index)
            index += 1
            tracer.outcome.inputs = index
    return outcomes


def _given(inputs: Iterable[Input], outcomes: list[Outcome]) -> Iterator[Input]:
    try:
        yield from inputs
    # the target's code may raise anything
    except BaseException as error:
        if not outcomes or isinstance(error, GeneratorExit):
            raise
        outcomes[-1].stopped = f"asked for a further input, the factory raised {described(error)}"


def compiled(plan: Plan, call: Callable[..., Any], backend: Callable[..., Any]) -> Any:
    """Compile a callable as the plan says.

    Raises:
        FactoryError: torch.compile refuses the options.
        Exception: It refuses the callable itself.
    """
    fullgraph = plan.verdict == "fullgraph"
    try:
        return COMPILE(call, backend=backend, fullgraph=fullgraph, **plan.options)
    except (TypeError, ValueError, RuntimeError) as error:
        # without options it says whether they are to blame
        COMPILE(call, backend=backend, fullgraph=fullgraph)
        told = described(error)
        raise FactoryError(f".options is {plan.options}: torch.compile raised {told}") from error


def _refused(error: Exception) -> Callable[..., Any]:
    """Give a callable that raises when it is called, as others do which cannot be traced."""

    def call(*_args: Any, **_kwargs: Any) -> Any:
        raise error

    return call


class _Tracer:
    """Calls inputs of one callable on its compiled form."""

    def __init__(self, plan: Plan, call: Callable[..., Any]) -> None:
        torch_state.reset()
        self._plan = plan
        self._backend = Graphs()
        try:
            self._compiled = compiled(plan, call, self._backend)
        except FactoryError:
            raise
        # torch.compile looks at the callable, which may be the target's, and may raise anything
        except Exception as error:  # noqa: BLE001
            self._compiled = _refused(error)
        self._ended = False
        self.outcome = Outcome(call)

    def trace(self, item: Input, index: int) -> None:
        """Call the input once, and a second time where the plan asks for it."""
        before = self._backend.made
        with self.outcome.frames.installed() if self._plan.measure else nullcontext():
            self._call(item, index, warm=False)
            if index == 0:
                self.outcome.graphs = self._backend.made
            if self._plan.warm and self.outcome.error is None and not self._ended:
                self._call(item, index, warm=True)
        self.outcome.graphs_of.append(self._backend.made - before)

    def _call(self, item: Input, index: int, *, warm: bool) -> None:
        collector = Collector()
        raised: Seen | None = None
        failure: BaseException | None = None
        measure = self._plan.measure and warm == self._plan.warm
        recorder = Recorder(pauses=not warm) if measure else None
        with (
            collector.installed(),
            UserContext(self._plan.context),
            recorder.recording() if recorder else nullcontext(),
        ):
            try:
                self._compiled(*item.args, **item.kwargs)
            # the target's code, and Dynamo on it, may raise anything, SystemExit included; it is
            # taken here, since the user's context may swallow it
            except BaseException as error:  # noqa: BLE001
                failure, raised = error, self._raised(error, collector, warm=warm)
        for seen in collector.breaks:
            self.outcome.events.append(self._event(seen, index, warm=warm))
        if raised is not None:
            self.outcome.error = self._event(raised, index, warm=warm)
        if recorder and recorder.whole and not isinstance(failure, exc.TorchDynamoException):
            operators = tuple(recorder.operators(self._backend))
            done = Measured(input=index, operators=operators, complete=failure is None)
            self.outcome.measured.append(done)

    def _raised(self, error: BaseException, collector: Collector, *, warm: bool) -> Seen | None:
        self.outcome.message = described(error)
        if self._plan.fake and type(error).__name__ in _NO_DATA:
            self._ended = True
            self.outcome.message = (
                "ended where a value was needed: fake tensors have none (.fake = True), "
                "so what comes later was not traced"
            )
            return None
        if warm and not isinstance(error, exc.TorchDynamoException):
            self.outcome.message = (
                f"a second call with the same input raised {described(error)}; "
                "set .repeat = False if it cannot be called twice"
            )
            return None
        return collector.of_exception(error)

    def _event(self, seen: Seen, index: int, *, warm: bool) -> Event:
        return Event(
            verdict="fullgraph" if self._plan.capture else self._plan.verdict,
            capture=self._plan.capture,
            input=index,
            warm=warm,
            effect=self._effect(seen),
            causes=seen.causes,
            stack=stacks.without_ours(seen.stack)
            or stacks.without_ours(stacks.of_callable(self.outcome.call)),
            above=seen.above,
        )

    def _effect(self, seen: Seen) -> Effect:
        root = seen.causes[0]
        if seen.effect != "error":
            return seen.effect
        if root.gb_type == exc.FailOnRecompileLimitHit.__name__:
            return "recompile_limit"
        stopped = self._plan.verdict == "fullgraph" and (
            seen.soft or _NOT_COMPILED in root.explanation
        )
        return "not_compiled" if stopped else "error"
