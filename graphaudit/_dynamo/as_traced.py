"""Eager runs that go the way of a trace at one place: does that place explain a difference?"""

from __future__ import annotations

import gc
import sys
from contextlib import ExitStack, contextmanager
from functools import _lru_cache_wrapper
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch._dynamo import external_utils

from graphaudit._dynamo.visible import target_modules
from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

    from graphaudit.model import Location


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
