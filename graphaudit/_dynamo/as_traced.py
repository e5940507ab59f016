"""Eager runs that go the way of a trace at one place: does that place explain a difference?

Each way is made anew for each callable, and held around each of its calls: a trace happens in the
first of them, and what it bakes in stands in the later ones.
"""

from __future__ import annotations

import gc
import os
import random
import sys
from contextlib import ExitStack, contextmanager, suppress
from functools import _lru_cache_wrapper, partial
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import torch
from torch._dynamo import external_utils
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map_only

from graphaudit._dynamo import notes
from graphaudit._dynamo.parts import PLAIN
from graphaudit._dynamo.replaced import replaced
from graphaudit._dynamo.visible import target_modules
from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import CodeType

    from graphaudit._dynamo.notes import Note
    from graphaudit.model import Location

    Around = Callable[[], AbstractContextManager[None]]


def way_of(note: Note) -> Callable[[], Around] | None:
    """Give what makes eager do as the trace did at a note; None where that changes nothing."""
    if note.kind == notes.COMPILING:
        return lambda: partial(told_that_it_compiles, note.place)
    if note.kind == notes.ENVIRONMENT:
        return lambda: Environment(note.what).held
    if note.kind == notes.RANDOM:
        return lambda: Generators().held
    code, by_code = note.code, _BY_CODE.get(note.kind)
    return (lambda: by_code(code)) if code is not None and by_code is not None else None


@contextmanager
def told_that_it_compiles(place: Location) -> Iterator[None]:
    """Answer one line of the target's as a trace does; all others as ever."""
    owners: list[Any] = [torch.compiler, torch._utils, torch._dynamo, external_utils]
    with ExitStack() as undo:
        for owner in (*owners, *target_modules()):
            for name, asked in _questions(owner):
                undo.enter_context(patch.object(owner, name, _answering(asked, place)))
        yield


@contextmanager
def without_answers_of(code: CodeType) -> Iterator[None]:
    """Empty the caches in front of one function."""
    for cache in gc.get_objects():
        # not isinstance: it asks the object, and a proxy may answer with anything
        is_cache = type(cache) is _lru_cache_wrapper
        if is_cache and getattr(cache.__wrapped__, "__code__", None) is code:
            cache.cache_clear()
    yield


class Environment:
    """Gives a variable of the environment the value that it had at first."""

    def __init__(self, name: str) -> None:
        """Name the variable; its value is asked in the first call."""
        self._name = name
        self._traced: list[str | None] = []

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold one call."""
        now = os.environ.get(self._name)
        if not self._traced:
            self._traced.append(now)
        (traced,) = self._traced
        if traced == now:
            yield
            return
        self._set(traced)
        yield
        if os.environ.get(self._name) == traced:
            self._set(now)

    def _set(self, value: str | None) -> None:
        if value is None:
            os.environ.pop(self._name, None)
        else:
            os.environ[self._name] = value


class Generators:
    """Has each generator start from the state that it had at first."""

    def __init__(self) -> None:
        """Start with none; they are looked for in the first call."""
        self._traced: list[tuple[random.Random, Any]] = []

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold one call."""
        for generator, state in self._traced:
            generator.setstate(state)
        if not self._traced:
            self._traced = [
                (one, one.getstate())
                for one in gc.get_objects()
                if type(one) is random.Random and one is not random._inst
            ]
        yield


class Constant:
    """Has a function answer in later calls what it answered in the first one."""

    def __init__(self, code: CodeType) -> None:
        """Say which function, by its code."""
        self._code = code
        self._answers: list[tuple[Any, Any]] = []  # what was given, what came of it
        self._is_traced = self._is_within = False
        self._asked = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold one call."""
        self._asked = 0
        with replaced(self._code, self._answer):
            yield
        self._is_traced = bool(self._answers)

    def _answer(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self._is_within:
            return function(*args, **kwargs)
        given = [_plain(one) for one in (*args, *kwargs.values())]
        place, self._asked = self._asked, self._asked + 1
        if self._is_traced and place < len(self._answers):
            before, answer = self._answers[place]
            # for other constants Dynamo traces anew
            if before == given:
                return answer
        self._is_within = True
        try:
            answer = function(*args, **kwargs)
        finally:
            self._is_within = False
        if not self._is_traced:
            self._answers.append((given, answer))
        return answer


class TracedToo:
    """Has a function run on fake tensors as well, in the first call, as a trace does."""

    def __init__(self, code: CodeType) -> None:
        """Say which function, by its code."""
        self._code = code
        self._is_met = self._is_traced = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold one call."""
        with replaced(self._code, self._answer):
            yield
        self._is_traced = self._is_met

    def _answer(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not self._is_traced:
            self._is_met = True
            _run_fake(function, args, kwargs)
        return function(*args, **kwargs)


@contextmanager
def silenced(code: CodeType) -> Iterator[None]:
    """Have a function do nothing."""
    with replaced(code, lambda *_args, **_kwargs: None):
        yield


_BY_CODE: Final[dict[str, Callable[[CodeType], Around]]] = {
    notes.CACHED: lambda code: partial(without_answers_of, code),
    notes.ASSUMED: lambda code: Constant(code).held,
    notes.IN_GRAPH: lambda code: TracedToo(code).held,
    notes.IGNORED: lambda code: partial(silenced, code),
}


def _plain(value: Any) -> Any:
    """Give a constant; of all else Dynamo asks no value."""
    return repr(value) if type(value) in (*PLAIN, float) else None


def _run_fake(function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Run Python code alone: tensors stay as they are, and so do the generators."""
    state = random.getstate()
    # what the function does with values raises, as it does in the trace
    with (
        suppress(Exception),
        torch.random.fork_rng(devices=[]),
        FakeTensorMode(allow_non_fake_inputs=True) as mode,
    ):
        made = tree_map_only(torch.Tensor, mode.from_tensor, (args, kwargs))
        function(*made[0], **made[1])
    random.setstate(state)


def _questions(owner: Any) -> list[tuple[str, Callable[[], bool]]]:
    asked = (
        torch.compiler.is_compiling,
        torch.compiler.is_dynamo_compiling,
        torch._utils.is_compiling,
        external_utils.is_compiling,
    )
    return [
        (name, value)
        for name, value in list(vars(owner).items())
        if any(value is one for one in asked)
    ]


def _answering(asked: Callable[[], bool], place: Location) -> Callable[[], bool]:
    def is_compiling() -> bool:
        frame = sys._getframe(1)
        while frame.f_back is not None and not is_targets(frame.f_code.co_filename):
            frame = frame.f_back
        here = (frame.f_code.co_filename, frame.f_lineno)
        return here == (place.path, place.line) or asked()

    return is_compiling
