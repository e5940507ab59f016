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
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import polyfills

from graphaudit._dynamo import hooks, stacks, watched
from graphaudit._dynamo.notes import (
    ASSUMED,
    CACHED,
    COMPILING,
    ENVIRONMENT,
    IGNORED,
    IN_GRAPH,
    MOVED,
    RANDOM,
    Followed,
    Kind,
    Note,
)
from graphaudit._target.belongs import is_stdlib, is_targets
from graphaudit._target.factory import Input, same_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from graphaudit._dynamo.hooks import Hook
    from graphaudit.model import Location

_ENVIRONMENT_DATA: Final = ".environ._data"
_POLYFILLS: Final = f"{Path(inspect.getfile(polyfills)).parent}{os.sep}"
_TORCH: Final = f"{Path(inspect.getfile(polyfills)).parents[2]}{os.sep}"
_DRAWS: Final = frozenset({"random", "randint", "randrange", "uniform"})
_LEVELS: Final = {"exception": logging.ERROR, "warn": logging.WARNING, "fatal": logging.CRITICAL}


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

    def _note(self, kind: Kind, what: str, *, code: CodeType | None = None) -> None:
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
            watched.GETITEM: self._getitem,
            watched.DRAWN: self._random,
            watched.CACHE: self._cache,
            watched.ASKED: self._asked,
            watched.CONSTANT: self._constant,
            watched.GRAPH_CALL: self._graph_call,
            watched.IGNORING: self._ignored,
            watched.LOGGER: self._logger,
            watched.DEBUGGING: self._debugging,
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
            code = _code(getattr(value, "__wrapped__", None))
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
            self._note(ASSUMED, getattr(fn, "__qualname__", str(name)), code=_code(fn))
            return original(tx, fn, name, args, kwargs)

        return invoke_and_store_as_constant

    def _graph_call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call_function(vt: Any, tx: Any, args: Any, kwargs: Any) -> Any:
            code = _code(vt.value)
            if code is not None and is_targets(code.co_filename):
                self._note(IN_GRAPH, code.co_qualname, code=code)
            return original(vt, tx, args, kwargs)

        return call_function

    def _ignored(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call_function(vt: Any, tx: Any, args: Any, kwargs: Any) -> Any:
            self._note(IGNORED, _name(vt.value), code=_code(vt.value))
            return original(vt, tx, args, kwargs)

        return call_function

    def _logger(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def call_method(vt: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
            done = original(vt, tx, name, args, kwargs)
            level = _LEVELS.get(name, logging.getLevelName(name.upper()))
            # whatever is no message of a level is noted: its effect is not known
            if not isinstance(level, int) or vt.value.isEnabledFor(level):
                code = _code(getattr(type(vt.value), name, None))
                self._note(IGNORED, f"logging.Logger.{name}", code=code)
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


def _code(value: Any) -> CodeType | None:
    """Give the code of a function or a method that is written in Python."""
    code = getattr(value, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _name(value: Any) -> str:
    module = getattr(value, "__module__", None) or ""
    name = getattr(value, "__qualname__", type(value).__name__)
    return name if module in ("", "builtins") else f"{module}.{name}"
