"""State of the process that one entry must not hand on to the next."""

from __future__ import annotations

import fcntl
import os
import random
import sys
import warnings
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIBRARIES: Final = ("site-packages", "dist-packages")
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
        sys.setprofile(profile)
        sys.settrace(tracer)
        sys.path[:] = path
        sys.stdin, sys.stdout, sys.stderr = streams


@contextmanager
def _standard_streams_kept() -> Iterator[None]:
    copies = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGH_FD) for fd in (0, 1, 2)]
    try:
        yield
    finally:
        for fd, copy in enumerate(copies):
            os.dup2(copy, fd)
            os.close(copy)


def clear_caches() -> None:
    """Empty every `lru_cache` of the target's own modules.

    Dynamo looks through such a cache, plain Python does not: with an answer in it, a function
    that breaks is never called again, and an entry would depend on those before it.
    """
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType) and _is_the_targets(module):
            for owner in (module, *_classes(module)):
                _clear(owner)


def _clear(owner: object) -> None:
    for value in list(vars(owner).values()):
        plain = getattr(value, "__func__", value) if isinstance(value, _WRAPPED) else value
        if isinstance(plain, _lru_cache_wrapper):
            plain.cache_clear()


_WRAPPED: Final = (staticmethod, classmethod)


def _classes(module: ModuleType) -> list[type]:
    return [
        value
        for value in list(vars(module).values())
        if isinstance(value, type) and value.__module__ == module.__name__
    ]


def _is_the_targets(module: ModuleType) -> bool:
    path = getattr(module, "__file__", None)
    return (
        isinstance(path, str)
        and not path.startswith((sys.prefix, sys.base_prefix))
        and not any(f"/{name}/" in path for name in _LIBRARIES)
        and module.__name__.partition(".")[0] not in ("torch", "graphaudit")
    )


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - as the target sees it
    except FileNotFoundError:  # it removed the folder that it stood in
        return None
