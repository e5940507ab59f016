"""What a function of the user's can reach, and so may change, when it runs below a real step."""

from __future__ import annotations

import builtins
import dis
from functools import lru_cache
from itertools import chain
from types import MethodType
from typing import TYPE_CHECKING, Any, Final

import torch

from graphaudit._dynamo.parts import is_of_target
from graphaudit._dynamo.see_through.originals import CONTAINERS, copied, slots_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import CodeType, FrameType

    from graphaudit._dynamo.see_through.originals import Container, Originals

_MOST: Final = 4096  # objects that are looked at for one call
_WRITES: Final = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})


def keep_reachable(frame: FrameType, originals: Originals, *, whole: bool = False) -> None:
    """Note the content of what a frame that starts to run can reach.

    Args:
        frame: The frame.
        originals: Where to note it.
        whole: Note the global variables too that the frame reads, and not only writes.
    """
    code, scope = frame.f_code, frame.f_globals
    read = [name for name in code.co_names if name in scope]
    for name in (*_written_globals(code), *(read if whole else ())):
        originals.keep_variable(scope, name)
    waiting = [*frame.f_locals.values(), *(scope[name] for name in read)]
    for _ in range(_MOST):
        if not waiting:
            break
        waiting += _looked_into(waiting.pop(), originals)


def _looked_into(value: Any, originals: Originals) -> Iterable[Any]:
    kind = type(value)
    if issubclass(kind, tuple):
        return tuple.__iter__(value)
    if kind is MethodType:
        return (value.__self__,)
    originals.keep_iterator(value)
    if id(value) in originals.looked_into:
        return ()
    if isinstance(value, type):
        return _looked_into_class(value, originals)
    found = _looked_into_object(value, originals)
    return found if not issubclass(kind, torch.Tensor) else [originals.memory.keep(value), *found]


def _looked_into_object(value: Any, originals: Originals) -> Iterable[Any]:
    held = [(one, copied(one)) for one in _containers(value)]
    slots = slots_of(value) if _has_slots(type(value)) else {}
    if not held and not slots:
        return ()
    originals.looked_into[id(value)] = value
    for container, content in held:
        originals.keep(container, content)
    originals.keep_slots(value, slots)
    # an object's class besides: its attributes may be written through `type(self)`
    contents = (one.values() if isinstance(one, dict) else one for _, one in held)
    return [type(value), *slots.values(), *chain.from_iterable(contents)]


def _looked_into_class(cls: type, originals: Originals) -> Iterable[Any]:
    if not is_of_target(cls):
        return ()
    originals.looked_into[id(cls)] = cls
    originals.keep_class(cls)
    return list(vars(cls).values())


def _containers(value: Any) -> Iterator[Container]:
    """Give what an object holds other objects in: itself, or its attributes."""
    is_container = issubclass(type(value), CONTAINERS)
    if is_container and not _is_scope(value):
        yield value
    attributes = getattr(value, "__dict__", None)
    if type(attributes) is dict and (
        is_container or isinstance(value, torch.nn.Module) or is_of_target(type(value))
    ):
        yield attributes


def _has_slots(cls: type) -> bool:
    return cls not in CONTAINERS and (issubclass(cls, CONTAINERS) or is_of_target(cls))


def _is_scope(value: Any) -> bool:
    """Tell whether a dictionary holds the names of a module: all of Python hangs on these."""
    return isinstance(value, dict) and ("__builtins__" in value or value is vars(builtins))


@lru_cache(maxsize=512)
def _written_globals(code: CodeType) -> frozenset[str]:
    return frozenset(one.argval for one in dis.get_instructions(code) if one.opname in _WRITES)
