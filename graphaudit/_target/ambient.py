"""State of the process that one entry must not hand on to the next."""

from __future__ import annotations

import fcntl
import gc
import os
import random
import sys
import warnings
from contextlib import contextmanager
from functools import _lru_cache_wrapper, lru_cache
from typing import TYPE_CHECKING, Any, Final

from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Iterator

# above what a program closes that closes "everything"
_HIGH_FD: Final = 900


@contextmanager
def kept() -> Iterator[None]:
    """Put back what Python code changes for the whole process."""
    environment, folder, generator = dict(os.environ), _folder(), random.getstate()
    limit, profile, tracer = sys.getrecursionlimit(), sys.getprofile(), sys.gettrace()
    path, streams = list(sys.path), (sys.stdin, sys.stdout, sys.stderr)
    try:
        with warnings.catch_warnings(), _standard_streams_kept():
            yield
    finally:
        os.environ.clear()
        os.environ.update(environment)
        if folder and _folder() != folder:
            os.chdir(folder)
        random.setstate(generator)
        sys.setrecursionlimit(limit)
        # a profiler written in C gives itself, but cannot be set again from Python
        if sys.getprofile() is not profile:
            sys.setprofile(profile)
        if sys.gettrace() is not tracer:
            sys.settrace(tracer)
        sys.path[:] = path
        sys.stdin, sys.stdout, sys.stderr = streams


@contextmanager
def _standard_streams_kept() -> Iterator[None]:
    copies = [_copied(fd) for fd in (0, 1, 2)]
    try:
        yield
    finally:
        for fd, copy in enumerate(copies):
            _put_back(fd, copy)


def _copied(fd: int) -> int | None:
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGH_FD)
    except OSError:  # it is closed
        return None


def _put_back(fd: int, copy: int | None) -> None:
    try:
        if copy is not None:
            os.dup2(copy, fd)
            os.close(copy)
    except OSError:  # the target closed whatever there was
        nothing = os.open(os.devnull, os.O_RDWR)
        if nothing != fd:
            os.dup2(nothing, fd)
            os.close(nothing)


def clear_caches() -> None:
    """Empty every `lru_cache` of the target's own modules.

    Dynamo looks through such a cache, plain Python does not: with an answer in it, a function
    that breaks is never called again, and an entry would depend on those before it.
    """
    for cache in _caches(len(sys.modules)):
        cache.cache_clear()


@lru_cache(maxsize=1)
def _caches(_modules: int) -> list[_lru_cache_wrapper[Any]]:
    """Find the caches, wherever they hang; looked for again when another module is imported."""
    return [
        cache
        for cache in gc.get_objects()
        # not isinstance: it asks the object, and a proxy may answer with anything
        if type(cache) is _lru_cache_wrapper and _is_the_targets(cache)
    ]


def _is_the_targets(cache: _lru_cache_wrapper[Any]) -> bool:
    module = sys.modules.get(getattr(cache, "__module__", None) or "")
    path = getattr(module, "__file__", None)
    return isinstance(path, str) and is_targets(path)


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - as the target sees it
    except FileNotFoundError:  # it removed the folder that it stood in
        return None
