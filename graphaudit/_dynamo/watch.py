"""The watch: what enters a trace without a guard, and where a trace parts from eager Python.

Dynamo says nothing about these. Leaf hooks note each with the user's line:

- `ConstDictVariable.getitem_const_raise_exception_if_absent`: a variable of `os.environ`. What the
  standard library reads (`os.getenv`) gets no guard, nor does a variable that is not set.
- `RandomVariable.call_method`: a `random.Random` starts from the state that it had in the trace.
- `is_lru_cache_wrapper_trace_without_warning_allowed`: the body behind a cache is traced.
- `mark_inconsistent_side_effects`: code asks whether it is being compiled.
- `invoke_and_store_as_constant`: a function is called once, in the trace.
- messages that are ignored or moved, by `torch._dynamo.config`.

Some of these are losses by themselves, others only where the program shows it: `differential`.
"""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import polyfills
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables import dicts, functions, misc
from torch._dynamo.variables import torch as in_graph

from graphaudit._dynamo import hooks, stacks
from graphaudit._dynamo.hooks import Hook
from graphaudit._target.belongs import is_stdlib, is_targets
from graphaudit._target.factory import Input, same_call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphaudit.model import Location

_ENVIRONMENT_DATA: Final = ".environ._data"
_POLYFILLS: Final = f"{Path(inspect.getfile(polyfills)).parent}{os.sep}"
_TORCH: Final = f"{Path(inspect.getfile(polyfills)).parents[2]}{os.sep}"
_DRAWS: Final = frozenset({"random", "randint", "randrange", "uniform"})
_LEVELS: Final = {"exception": logging.ERROR, "warn": logging.WARNING, "fatal": logging.CRITICAL}

Kind = str
ENVIRONMENT: Final = "Environment variable read"
RANDOM: Final = "Random generator drawn from"
IGNORED: Final = "Message ignored"
CACHED: Final = "Cached function traced anew"
COMPILING: Final = "Skipped while compiling"
ASSUMED: Final = "Function called once, in the trace"
IN_GRAPH: Final = "Function called in the graph"
MOVED: Final = "Message moved"
# the others are losses only where the program shows a difference
CERTAIN: Final = frozenset({ENVIRONMENT, RANDOM, IGNORED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One thing that the watch saw."""

    kind: Kind
    what: str  # the name of the variable, the function, the message
    stack: stacks.Stack  # ends with the target's own line
    above: stacks.Stack
    index: int  # of the callable
    input: int
    code: Any = None  # the cached function's

    @property
    def place(self) -> Location:
        """Give the target's own line."""
        return self.stack[-1]


_METHOD: Final = ("self", "tx", "name", "args", "kwargs")
_CALL: Final = ("self", "tx", "args", "kwargs")
_GETITEM: Final = Hook(
    owner=dicts.ConstDictVariable,
    name="getitem_const_raise_exception_if_absent",
    parameters=("self", "tx", "arg"),
    loss="an environment variable that is baked into a graph is not seen",
)
_RANDOM: Final = Hook(
    owner=misc.RandomVariable,
    name="call_method",
    parameters=_METHOD,
    loss="a random generator that is baked into a graph is not seen",
)
_CACHE: Final = Hook(
    owner=functions,
    name="is_lru_cache_wrapper_trace_without_warning_allowed",
    parameters=("value",),
    loss="a cached function that is traced anew is not seen",
)
_ASKED: Final = Hook(
    owner=InstructionTranslatorBase,
    name="mark_inconsistent_side_effects",
    parameters=("self",),
    loss="code that goes another way while it is compiled is not seen",
)
_CONSTANT: Final = Hook(
    owner=functions,
    name="invoke_and_store_as_constant",
    parameters=("tx", "fn", "name", "args", "kwargs"),
    loss="a function that is called in the trace alone is not seen",
)
_GRAPH_CALL: Final = Hook(
    owner=in_graph.TorchInGraphFunctionVariable,
    name="call_function",
    parameters=_CALL,
    loss="a function that is called in the graph as it is, is not seen",
)
_IGNORED: Final = Hook(
    owner=misc.IgnoredFunctionVariable,
    name="call_function",
    parameters=_CALL,
    loss="a message that is ignored is not seen",
)
_LOGGER: Final = Hook(
    owner=misc.LoggingLoggerVariable,
    name="call_method",
    parameters=_METHOD,
    loss="a log message that is ignored is not seen",
)
_DEBUGGING: Final = Hook(
    owner=misc.DebuggingVariable,
    name="call_function",
    parameters=_CALL,
    loss="a message that is moved is not seen",
)
HOOKS: Final = (
    _GETITEM,
    _RANDOM,
    _CACHE,
    _ASKED,
    _CONSTANT,
    _GRAPH_CALL,
    _IGNORED,
    _LOGGER,
    _DEBUGGING,
)


@dataclass(slots=True)
class Followed:
    """A callable, and how many inputs it was given."""

    call: Callable[..., Any]
    inputs: int = 0


@dataclass(slots=True)
class Watch:
    """Notes what is seen while it is installed, in one pass or in several."""

    notes: list[Note] = field(default_factory=list)
    followed: list[Followed] = field(default_factory=list)  # by the last pass
    _seeded: list[Any] = field(default_factory=list)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Hold the hooks in place."""
        with hooks.installed(self._wrappers()):
            yield

    def following(self, inputs: Iterable[Input]) -> Iterator[Input]:
        """Hand inputs on, and keep in mind which one is being traced."""
        self.followed = []
        for item in inputs:
            if not self.followed or not same_call(self.followed[-1].call, item.call):
                self.followed.append(Followed(item.call))
            self.followed[-1].inputs += 1
            yield item

    def _note(self, kind: Kind, what: str, *, code: Any = None) -> None:
        stack = tuple(traced.place for traced in stacks.running_chain())
        while stack and _stands_between(stack[-1], kind):
            stack = stack[:-1]
        if stack and is_targets(stack[-1].path):
            note = Note(
                kind=kind,
                what=what,
                stack=stack,
                above=stacks.above_dynamo(),
                index=max(len(self.followed) - 1, 0),
                input=self.followed[-1].inputs - 1 if self.followed else 0,
                code=code,
            )
            self.notes.append(note)

    def _wrappers(self) -> dict[Hook, Callable[[Any], Callable[..., Any]]]:
        return {
            _GETITEM: self._getitem,
            _RANDOM: self._random,
            _CACHE: self._cache,
            _ASKED: self._asked,
            _CONSTANT: self._constant,
            _GRAPH_CALL: self._graph_call,
            _IGNORED: self._ignored,
            _LOGGER: self._logger,
            _DEBUGGING: self._debugging,
        }

    def _getitem(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def getitem_const_raise_exception_if_absent(vt: Any, tx: Any, arg: Any) -> Any:
            if vt.source is not None and vt.source.name.endswith(_ENVIRONMENT_DATA):
                self._environment(vt, arg)
            return original(vt, tx, arg)

        return getitem_const_raise_exception_if_absent

    def _environment(self, vt: Any, arg: Any) -> None:
        """Note a variable of the environment, unless its value gets a guard."""
        present = arg in vt
        if (not present or _is_unguarded(vt.source)) and arg.is_python_constant():
            name = arg.as_python_constant()
            text = name.decode(errors="replace") if isinstance(name, bytes) else str(name)
            self._note(ENVIRONMENT, text)

    def _random(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call_method(vt: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            if name in ("seed", "setstate"):
                self._seeded.append(vt)
            elif name in _DRAWS and vt.source is not None:
                self._drawn(vt, name)
            return original(vt, tx, name, args, kwargs)

        return call_method

    def _drawn(self, vt: Any, name: str) -> None:
        """Note a draw, unless the trace has seeded the generator: then eager draws the same."""
        if not any(vt is one for one in self._seeded):
            self._note(RANDOM, f"random.Random.{name}")

    def _cache(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def is_lru_cache_wrapper_trace_without_warning_allowed(value: Any) -> Any:
            code = getattr(getattr(value, "__wrapped__", None), "__code__", None)
            if code is not None and is_targets(code.co_filename):
                self._note(CACHED, code.co_qualname, code=code)
            return original(value)

        return is_lru_cache_wrapper_trace_without_warning_allowed

    def _asked(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def mark_inconsistent_side_effects(tx: Any) -> Any:
            self._note(COMPILING, tx.f_code.co_qualname)
            return original(tx)

        return mark_inconsistent_side_effects

    def _constant(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def invoke_and_store_as_constant(
            tx: Any, fn: Any, name: Any, args: Any, kwargs: Any
        ) -> Any:
            self._note(ASSUMED, getattr(fn, "__qualname__", str(name)))
            return original(tx, fn, name, args, kwargs)

        return invoke_and_store_as_constant

    def _graph_call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call_function(vt: Any, tx: Any, args: Any, kwargs: Any) -> Any:
            code = getattr(vt.value, "__code__", None)
            if code is not None and is_targets(code.co_filename):
                self._note(IN_GRAPH, code.co_qualname)
            return original(vt, tx, args, kwargs)

        return call_function

    def _ignored(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call_function(vt: Any, tx: Any, args: Any, kwargs: Any) -> Any:
            self._note(IGNORED, _name(vt.value))
            return original(vt, tx, args, kwargs)

        return call_function

    def _logger(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call_method(vt: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            done = original(vt, tx, name, args, kwargs)
            level = _LEVELS.get(name, logging.getLevelName(name.upper()))
            # whatever is no message of a level is noted: its effect is not known
            if not isinstance(level, int) or vt.value.isEnabledFor(level):
                self._note(IGNORED, f"logging.Logger.{name}")
            return done

        return call_method

    def _debugging(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call_function(vt: Any, tx: Any, args: Any, kwargs: Any) -> Any:
            self._note(MOVED, _name(vt.value))
            return original(vt, tx, args, kwargs)

        return call_function


def _is_unguarded(source: Any) -> bool:
    """Tell whether Dynamo drops the guards of a source: it trusts globals of the library."""
    while source is not None:
        if type(source).__name__ == "SkipGuardSource":
            return True
        source = getattr(source, "base", None)
    return False


def _stands_between(place: Location, kind: Kind) -> bool:
    """Tell whether a frame only does a call of the target's in other words."""
    if kind == COMPILING and not is_targets(place.path):
        # a library's own name for the question, such as `is_torchdynamo_compiling`
        return "compiling" in place.qualname and not place.path.startswith(_TORCH)
    return is_stdlib(place.path) or place.path.startswith(_POLYFILLS)


def _name(value: Any) -> str:
    module = getattr(value, "__module__", None) or ""
    name = getattr(value, "__qualname__", type(value).__name__)
    return name if module in ("", "builtins") else f"{module}.{name}"
