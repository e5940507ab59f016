"""What a function of the user's can reach, and so may change, when it runs below a real step."""

from __future__ import annotations

import builtins
import dis
import sys
from functools import lru_cache
from types import MethodType
from typing import TYPE_CHECKING, Any, Final

import torch

from graphaudit._dynamo.see_through.originals import CONTAINERS
from graphaudit._dynamo.see_through.record import is_user

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType

    from graphaudit._dynamo.see_through.originals import Container, Originals

_MOST: Final = 4096  # objects that are looked at for one call
_WRITES: Final = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})


def keep_reachable(frame: FrameType, originals: Originals) -> None:
    """Note the content of what a frame that starts to run can reach."""
    code, scope = frame.f_code, frame.f_globals
    for name in _written_globals(code):
        originals.keep_variable(scope, name)
    waiting = [*frame.f_locals.values(), *(scope[name] for name in code.co_names if name in scope)]
    for _ in range(_MOST):
        if not waiting:
            break
        waiting += _looked_into(waiting.pop(), originals)


def _looked_into(value: Any, originals: Originals) -> Iterable[Any]:
    if type(value) is tuple:
        return value
    if type(value) is MethodType:
        return (value.__self__,)
    if id(value) in originals.looked_into:
        return ()
    if isinstance(value, type):
        return _looked_into_class(value, originals)
    container = _container(value)
    if container is None:
        return ()
    originals.looked_into[id(value)] = value
    originals.keep(container, container.copy())
    # an object's class besides: its attributes may be written through `type(self)`
    return [type(value), *(container.values() if isinstance(container, dict) else container)]


def _looked_into_class(cls: type, originals: Originals) -> Iterable[Any]:
    if not _is_users(cls):
        return ()
    originals.looked_into[id(cls)] = cls
    originals.keep_class(cls)
    return list(vars(cls).values())


def _container(value: Any) -> Container | None:
    """Give a container of a plain type, or the attributes of an object of the user's."""
    if type(value) in CONTAINERS:
        found: Container = value
        return None if _is_scope(value) else found
    attributes = getattr(value, "__dict__", None)
    if type(attributes) is dict and (isinstance(value, torch.nn.Module) or _is_users(type(value))):
        return attributes
    return None


def _is_scope(value: Any) -> bool:
    """Tell whether a dictionary holds the names of a module: all of Python hangs on these."""
    return isinstance(value, dict) and ("__builtins__" in value or value is vars(builtins))


def _is_users(cls: type) -> bool:
    path = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return path is not None and is_user(path)


@lru_cache(maxsize=512)
def _written_globals(code: CodeType) -> frozenset[str]:
    return frozenset(one.argval for one in dis.get_instructions(code) if one.opname in _WRITES)
