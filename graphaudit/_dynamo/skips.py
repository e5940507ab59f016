"""Functions that are left to eager without a word: no break is logged for them.

Dynamo skips a frame in which it finds no tensor, one below a dispatch mode, one that an earlier
call or a setting told it to skip. Most of these do no tensor work, and nothing is lost. So what
counts are operators that ran in eager (out of a measured call) in a function that was not
compiled, where no break accounts for them.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import convert_frame, eval_frame

from graphaudit._dynamo import causes, hooks, stacks
from graphaudit._dynamo.hooks import Hook
from graphaudit._dynamo.see_through.record import preferred
from graphaudit._target.belongs import is_targets
from graphaudit._target.source import locate, qualname_at
from graphaudit._target.words import short
from graphaudit.model import GATING_EFFECTS, Cause, Event, Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import CodeType

    from graphaudit._dynamo.coverage.operators import Operator

GB_TYPE: Final = "Skipped frame"
_TOLD_TO: Final = "Dynamo was told to leave this function alone"
_SUPPRESSED: Final = "an error was suppressed during compilation"
_WHOLE_FUNCTION: Final = frozenset(
    {"rest_eager", "frame_dropped", "not_compiled", "recompile_limit", "error"}
)

_SKIP: Final = Hook(
    owner=convert_frame.CatchErrorsWrapper,
    name="_handle_skip",
    parameters=("self", "result", "frame"),
    loss="why Dynamo left a function to eager is not said",
)
_ERROR: Final = Hook(
    owner=convert_frame,
    name="format_error_msg",
    parameters=("exc", "code", "record_filename", "frame"),
    loss="an error that a setting hides is not named",
)
_STANCE: Final = Hook(
    owner=eval_frame,
    name="_callback_from_stance",
    parameters=("callback",),
    loss="the stance that left a function to eager is not named",
)
_COMPILED: Final = Hook(  # called, not wrapped
    owner=convert_frame,
    name="register_bytecode_hook",
    parameters=("hook",),
    loss="a function that is left to eager without a word is not seen",
)
HOOKS: Final = (_SKIP, _ERROR, _STANCE, _COMPILED)
_Function = tuple[str, str, str]  # path, the code's name, the qualified name in the source


@dataclass(slots=True)
class FrameLog:
    """Which functions Dynamo compiled, and why it skipped others, while it is installed."""

    compiled: set[_Function] = field(default_factory=set)
    skipped: dict[_Function, str] = field(default_factory=dict)
    errors: dict[_Function, Cause] = field(default_factory=dict)
    stance: str = ""  # under which the call ran, where that is not the default

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Hold the hooks in place: leaf functions, and one that Dynamo offers."""
        wrappers = {
            _SKIP: self._handle_skip,
            _ERROR: self._format_error,
            _STANCE: self._callback,
        }
        with ExitStack() as undo:
            if not hooks.fault(_COMPILED):
                undo.callback(convert_frame.register_bytecode_hook(self._bytecode).remove)
            undo.enter_context(hooks.installed(wrappers))
            yield

    def _bytecode(self, code: CodeType, new_code: CodeType) -> None:  # noqa: ARG002 - by name
        self.compiled.add(_function(code))

    def _handle_skip(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def handle_skip(wrapper: Any, result: Any, frame: Any) -> Any:
            if result.skip_reason is not None and result.guarded_code is None:
                self.skipped.setdefault(_function(frame.f_code), result.skip_reason)
            return original(wrapper, result, frame)

        return handle_skip

    def _format_error(self, original: Callable[..., str]) -> Callable[..., str]:
        @wraps(original)  # the collector looks at its parameters
        def format_error_msg(error: Any, code: Any, *rest: Any, **more: Any) -> str:
            is_break = isinstance(getattr(error, "msg", None), str)
            found = causes.chain(error.msg, {})[0] if is_break else causes.of_exception(error)
            self.errors[_function(code)] = found
            return original(error, code, *rest, **more)

        return format_error_msg

    def _callback(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def callback_from_stance(callback: Any) -> Any:
            stance = eval_frame._stance.stance
            if stance != "default" and callback not in (None, False):
                self.stance = stance
            return original(callback)

        return callback_from_stance

    def cause(self, function: _Function, names: Sequence[str]) -> Cause:
        """Say why a function was left to eager."""
        if function in self.errors and self.skipped.get(function, _SUPPRESSED) == _SUPPRESSED:
            return self.errors[function]
        reason = self.skipped.get(function) or (
            f"the stance is {self.stance}" if self.stance else _TOLD_TO
        )
        distinct = ", ".join(dict.fromkeys(names))
        return Cause(
            gb=None,
            gb_type=f"{GB_TYPE}: {reason}",
            context=short(reason),
            explanation=short(
                f"{len(names)} operator{'s' * (len(names) > 1)} ran in eager, and no break was "
                f"logged: {distinct}"
            ),
        )


def left_to_eager(
    operators: Iterable[Operator],
    log: FrameLog,
    events: Iterable[Event],
    *,
    verdict: Gate = "default",
    input: int = 0,  # noqa: A002 - as in the record
) -> tuple[Event, ...]:
    """Find the functions that did tensor work in eager without a word, each once.

    Args:
        operators: Of one call, measured while `log` was installed.
        log: What Dynamo did with each function.
        events: Every break that any trace of the entry showed.
        verdict: For the events.
        input: For the events: which input the call had.

    Returns:
        An event at the first eager operator of each such function.
    """
    if hooks.fault(_COMPILED):
        return ()
    told = _tolerant(events)
    places: dict[_Function, stacks.Stack] = {}
    names: defaultdict[_Function, list[str]] = defaultdict(list)
    for operator in operators:
        own = _own(operator) if operator.where == "eager" else None
        if own is None or own[0] in log.compiled or _is_accounted(own[1], told):
            continue
        places.setdefault(*own)
        names[own[0]].append(operator.name)
    return tuple(
        Event(
            verdict=verdict,
            input=input,
            effect="not_compiled",
            causes=(log.cause(function, names[function]),),
            stack=stack,
        )
        for function, stack in places.items()
    )


def _tolerant(events: Iterable[Event]) -> tuple[Event, ...]:
    """Leave out what fullgraph raised where a trace that goes on shows what becomes of it."""
    gating = tuple(event for event in events if event.effect in GATING_EFFECTS)
    return tuple(one for one in gating if one.verdict == "default" or one.capture) or gating


def _function(code: Any) -> _Function:
    path = code.co_filename
    return path, code.co_name, qualname_at(path, code.co_firstlineno)


def _own(operator: Operator) -> tuple[_Function, stacks.Stack] | None:
    """Find the deepest function of the user's that an operator runs in, with its stack."""
    for index in range(len(operator.frames) - 1, -1, -1):
        path, line = operator.frames[index]
        if is_targets(path):
            function = path, operator.functions[index], qualname_at(path, line)
            return function, _stack(operator.frames[: index + 1])
    return None


def _stack(frames: Sequence[tuple[str, int]]) -> stacks.Stack:
    """Describe frames; one that goes on in a resume function stands where that stands."""
    places = [locate(path, line) for path, line in frames]
    return tuple(
        place
        for place, below in zip(places, [*places[1:], None], strict=True)
        if below is None or (place.path, place.qualname) != (below.path, below.qualname)
    )


def _is_accounted(stack: stacks.Stack, events: Sequence[Event]) -> bool:
    return any(event.stack and _accounts(event, stack) for event in events)


def _accounts(event: Event, stack: stacks.Stack) -> bool:
    if event.effect in _WHOLE_FUNCTION:
        given_up = {(place.path, place.qualname) for place in (event.stack[0], event.stack[-1])}
        return any((place.path, place.qualname) in given_up for place in stack)
    at = preferred(event.stack)
    if event.effect == "opaque" and not is_targets(at.path):
        return True  # the callable itself is disabled: Dynamo breaks in a wrapper of its own
    reached = stack if event.effect == "opaque" else stack[-1:]
    return any(place.path == at.path and at.line <= place.line <= at.end_line for place in reached)
