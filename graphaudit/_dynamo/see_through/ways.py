"""In which way a function is called: what may decide which of its lines run."""

from __future__ import annotations

from enum import Enum
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

Way = tuple[Any, ...]

_MOST: Final = 8  # items, and numbers that count by their value
_LONGEST: Final = 64
_FLAGS: Final = frozenset({bool, type(None), str})


def way_of(frame: FrameType) -> Way:
    """Describe the arguments and the outer variables of a frame that starts to run, cheaply."""
    return tuple([(name, _described(value)) for name, value in frame.f_locals.items()])


def _described(value: Any) -> Any:
    kind = type(value)
    if kind in _FLAGS or issubclass(kind, int):
        return kind, _shortened(value)
    if kind in (tuple, list):
        return kind, len(value[:_MOST]), _items(enumerate(value[:_MOST]))
    if kind is dict:
        return kind, _items(value.items())
    return kind, _identified(value)


def _shortened(value: Any) -> Any:
    """Give a flag or a small number, of others only what is common to many."""
    if isinstance(value, int):
        return int(value) if abs(int(value)) <= _MOST else int(value) > 0
    return value if type(value) is not str or len(value) <= _LONGEST else ""


def _identified(value: Any) -> Any:
    """Give what tells objects of one type apart: a name, code, attributes that are flags."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, FunctionType):
        return value.__code__
    if isinstance(value, type | CodeType | torch.dtype | ModuleType):
        return id(value)
    return _flags_of(value)


def _items(items: Iterable[tuple[Any, Any]]) -> Way:
    """Describe items of a container by their types and flags, not by what they hold."""
    pairs = zip(range(_MOST), items, strict=False)
    return tuple([(key if type(key) is str else "", _flag(value)) for _, (key, value) in pairs])


def _flags_of(value: Any) -> Way:
    """Describe the attributes of an object that are flags: names, truth, nothing."""
    attributes = _attributes(value)
    if type(attributes) is not dict:
        return ()
    return tuple([(name, one) for name, one in attributes.items() if _is_flag(one)])


def _attributes(value: Any) -> Any:
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None


def _flag(value: Any) -> Any:
    return (type(value), value) if _is_flag(value) else type(value)


def _is_flag(value: Any) -> bool:
    return type(value) in _FLAGS and not (type(value) is str and len(value) > _LONGEST)
