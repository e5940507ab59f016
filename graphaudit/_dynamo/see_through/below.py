"""Frames that run below a real step: Dynamo would compile each as a frame of its own."""

from __future__ import annotations

import inspect
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from traceback import extract_stack
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import convert_frame, decorators, trace_rules

from graphaudit._dynamo import stacks
from graphaudit._dynamo.see_through import transforms
from graphaudit._dynamo.see_through.again import CodePath, path_of
from graphaudit._dynamo.see_through.originals import Originals
from graphaudit._dynamo.see_through.reach import keep_reachable
from graphaudit._dynamo.see_through.record import Order
from graphaudit._dynamo.see_through.ways import way_of
from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType, FrameType

    from graphaudit._dynamo.see_through.record import Record
    from graphaudit._dynamo.see_through.ways import Way

_OURS: Final = str(Path(__file__).parent)
_LOOKS_AT_FRAMES: Final = "frame" in inspect.signature(trace_rules.check).parameters
_NO_ROOT: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_WAYS: Final = 8  # of calling a function that are told apart
_BYTES: Final = 1 << 18  # of tensors that are given back for one call
_UNTRACED = "called below a real step in more ways than are traced"
_COMPREHENSIONS: Final = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})


@dataclass(slots=True)
class Below:
    """A call that a real step has made."""

    function: FunctionType
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    above: stacks.Stack
    order: Order
    is_spent: bool = False  # its effects have happened once more already
    is_inside: bool = False  # of a function transform, which has ended since
    caller: Below | None = None  # the call that made it, if that is noted too
    state: Originals = field(default_factory=lambda: Originals(_BYTES))  # as the call found it
    is_first: bool = True  # of this function
    is_traced: bool = False
    inlined: set[Any] = field(default_factory=set)  # code that its trace has been through


class Watcher:
    """Notes the user's frames below real steps, and which code a trace has been through."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self.originals = Originals()
        self._noted: dict[CodeType, dict[Way, Below]] = {}
        self._beyond: list[Below] = []  # ways of calling that are too many
        self._running: dict[int, Below] = {}  # by the id of a frame: noted calls that run now
        self._current: Below | None = None  # what is traced now
        self._traced: set[CodeType] = set()
        self._since_step: list[tuple[CodeType, Way]] = []

    def traced(self, codes: set[CodeType]) -> None:
        """Note code that a trace has been through, inlined or as its root."""
        self._traced |= codes
        if self._current is not None:
            self._current.inlined |= codes

    def has_traced(self, code: CodeType) -> bool:
        """Tell whether a trace has been through some code."""
        return code in self._traced

    def pop(self) -> Below | None:
        """Give the next call to trace on its own, if there is one left."""
        waiting = [below for ways in self._noted.values() for below in ways.values()]
        for below in sorted(waiting, key=lambda below: below.order):
            if not below.is_traced and not self._is_covered(below):
                self._traced.add(below.function.__code__)
                below.is_traced = True
                self._current = below
                return below
        self._current = None
        self._doubt_beyond()
        return None

    def give_state(self, below: Below) -> None:
        """Set what a call can reach to what the call found there."""
        self.originals.keep_all(below.state)
        below.state.put_back()

    def forget(self, codes: Iterable[CodeType]) -> None:
        """Forget the calls of some functions, to note later ones."""
        for code in codes:
            self._noted.pop(code, None)

    def calls_of(self, codes: Iterable[CodeType]) -> tuple[Below, ...]:
        """Give the calls of some functions, as far as they are noted and can be made again."""
        found = (self._noted.get(code, {}).values() for code in dict.fromkeys(codes))
        return tuple(below for ways in found for below in ways if not below.is_inside)

    def forget_last_step(self) -> None:
        """Drop what ran below the last step: it went astray."""
        for code, way in self._since_step:
            self._noted.get(code, {}).pop(way, None)

    def _is_covered(self, below: Below) -> bool:
        """Tell whether a trace has been through a call, or through the first one of its function.

        A call in another way has been traced only with the call that made it.
        """
        code, caller = below.function.__code__, below.caller
        if below.is_first:
            return code in self._traced
        while caller is not None and not caller.is_traced:
            caller = caller.caller
        return caller is not None and code in caller.inlined

    def _doubt_beyond(self) -> None:
        for below in self._beyond:
            if not self._is_covered(below):
                self._record.doubt_at(stacks.of_callable(below.function), _UNTRACED)

    @contextmanager
    def watching(
        self, above: stacks.Stack, spent: frozenset[CodePath] = frozenset()
    ) -> Iterator[None]:
        """Note the calls that are made meanwhile.

        Args:
            above: The traced frames of the step.
            spent: Ways to frames whose effects the trace has had before the step.
        """
        self._since_step = []
        last = {way[-1] for way in spent}

        def profile(frame: FrameType, event: str, _arg: Any) -> None:
            if event == "return":
                self._running.pop(id(frame), None)
            if event != "call":
                return
            path = frame.f_code.co_filename
            if is_targets(path) and not path.startswith(_OURS):
                keep_reachable(frame, self.originals)
            is_again = frame.f_code in last and _path_to(frame) in spent
            if is_again:
                self._spend(_callers(frame))
            if _is_root(frame):
                self._note(frame, above, is_spent=self._record.is_below or is_again)

        outer = sys.getprofile()
        sys.setprofile(profile)
        try:
            yield
        finally:
            sys.setprofile(outer)
            self._running.clear()

    def _spend(self, frames: Iterator[FrameType]) -> None:
        """Leave out what would call once more what has been called twice."""
        for frame in frames:
            for below in self._noted.get(frame.f_code, {}).values():
                below.is_spent |= self._running.get(id(frame), below) is below

    def _note(self, frame: FrameType, above: stacks.Stack, *, is_spent: bool) -> None:
        code, way = frame.f_code, way_of(frame)
        ways = self._noted.setdefault(code, {})
        if way in ways:
            ways[way].is_spent |= is_spent
            return
        between = list(_callers(frame))
        if _is_disabled(code, between):
            return
        summaries = extract_stack(frame.f_back, limit=len(between)) if between else ()
        function, args, kwargs = _call_of(frame)
        below = Below(
            function=function,
            args=args,
            kwargs=kwargs,
            above=(*above, *stacks.of_summaries(summaries)),
            order=self._record.next_order(),
            is_spent=is_spent,
            is_inside=transforms.depth() > 0,
            caller=self._noted_caller(between),
            is_first=not ways,
        )
        if len(ways) >= _WAYS:
            self._beyond.append(below)
            return
        keep_reachable(frame, below.state, whole=True)
        ways[way] = self._running[id(frame)] = below
        self._since_step.append((code, way))

    def _noted_caller(self, callers: list[FrameType]) -> Below | None:
        """Give the innermost call of the user's, if it is one that is noted, not one alike."""
        for frame in callers:
            if id(frame) in self._running:
                return self._running[id(frame)]
            if is_targets(frame.f_code.co_filename) and _is_function(frame.f_code):
                return None
        return None


def _is_root(frame: FrameType) -> bool:
    """Tell whether Dynamo would compile such a frame: a function, no generator, not skipped.

    Of libraries it takes those frames that deal with tensors. Functions of the user's may do so by
    the time that what stands above them is mended.
    """
    code = frame.f_code
    if not _is_function(code) or code.co_filename.startswith((_OURS, "<")):
        return False
    if code is decorators._nonrecursive_disable_wrapper_code:
        return False
    return is_targets(code.co_filename) or (
        not _is_skipped(frame) and convert_frame.has_tensor_in_frame(frame)
    )


def _is_function(code: CodeType) -> bool:
    """Tell whether code is that of a function, not of a class, a generator or a comprehension."""
    is_plain = bool(code.co_flags & inspect.CO_NEWLOCALS) and not code.co_flags & _NO_ROOT
    return is_plain and code.co_name not in _COMPREHENSIONS


def _is_skipped(frame: FrameType) -> bool:
    """Ask Dynamo whether it skips a frame by its file; torch 2.11 looks at the code alone."""
    more: dict[str, Any] = {"frame": frame} if _LOOKS_AT_FRAMES else {}
    return bool(trace_rules.check(frame.f_code, **more))


def _is_disabled(code: CodeType, callers: list[FrameType]) -> bool:
    """Tell whether Dynamo is kept off a frame: by a disabled caller, or off this one alone."""
    if any("DisableContext" in one.f_code.co_qualname for one in callers):
        return True
    if not callers or callers[0].f_code is not decorators._nonrecursive_disable_wrapper_code:
        return False
    return getattr(callers[0].f_locals.get("fn"), "__code__", None) is code


def _callers(frame: FrameType) -> Iterator[FrameType]:
    """Give the frames between a call and the step that it belongs to, innermost first."""
    caller = frame.f_back
    while caller is not None and not caller.f_code.co_filename.startswith(_OURS):
        yield caller
        caller = caller.f_back


def _path_to(frame: FrameType) -> CodePath:
    outer = [one.f_code for one in _callers(frame)]
    return path_of((*reversed(outer), frame.f_code))


def _call_of(frame: FrameType) -> tuple[FunctionType, tuple[Any, ...], dict[str, Any]]:
    """Rebuild the function and the arguments of a frame that starts to run."""
    code, have = frame.f_code, dict(frame.f_locals)
    names, plain, keyword = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    rest = list(names[plain + keyword :])
    args = [have[name] for name in names[:plain]]
    kwargs = {name: have[name] for name in names[plain : plain + keyword]}
    if code.co_flags & inspect.CO_VARARGS:
        args += have[rest.pop(0)]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        kwargs |= have[rest.pop(0)]
    cells = tuple(CellType(have[name]) if name in have else CellType() for name in code.co_freevars)
    function = FunctionType(code, frame.f_globals, code.co_name, None, cells)
    return function, tuple(args), kwargs
