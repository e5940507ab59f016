"""What a value of the target's is made of: items, attributes, slots, cells.

No code of the target's is run: what would ask an object is asked of its type.
"""

from __future__ import annotations

import collections
import sys
from dataclasses import is_dataclass
from functools import _lru_cache_wrapper
from types import CellType, FunctionType, MemberDescriptorType, MethodType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._dynamo.eval_frame import OptimizedModule

from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# behind the path of a container
KEYS: Final = ""
LENGTH: Final = " length"


class Text(str):
    """A leaf that is written as it is."""

    __slots__ = ()


PLAIN: Final = (
    *(type(None), bool, int, str, bytes, bytearray, complex, range, slice, torch.dtype),
    Text,
)
# hooks and flags of torch's own
MODULES_OWN: Final = frozenset(vars(torch.nn.Module())) - {
    "training",
    "_parameters",
    "_buffers",
    "_modules",
}
_MARKS: Final = frozenset(
    {"_compiled_call_impl", "_dynamo_forbidden", "_dynamo_marked_constant", "_is_torch_compile"}
)


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Give what a value is made of, each with what to write behind its path."""
    yield from _items(value)
    yield from ((f".{name}", part) for name, part in attributes_of(value).items())
    kind = type(value)
    if kind is CellType:
        yield from _cell(value)
    elif kind is _lru_cache_wrapper:
        yield "", value.__wrapped__
    elif kind is MethodType:
        yield "", value.__self__
    elif issubclass(kind, OptimizedModule):
        yield "", (dict_of(value) or {})["_modules"].get("_orig_mod")
    elif kind is FunctionType:
        yield from _function(value)


def _function(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Give the cells of a function of the target's; of a library's wrapper what it wraps."""
    if is_targets(function.__code__.co_filename):
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        yield from ((f".{name}", cell) for name, cell in cells)
    else:
        yield "", function.__dict__.get("__wrapped__")


def members_of(value: Any) -> list[Any]:
    """List what a container holds, by its base class: a method of the target's may do anything."""
    bases = (list, tuple, collections.deque, set, frozenset)
    kind = next(base for base in bases if issubclass(type(value), base))
    return list(kind.__iter__(value))


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    kind = type(value)
    if issubclass(kind, dict):
        ordered = issubclass(kind, collections.OrderedDict)
        items = list((collections.OrderedDict if ordered else dict).items(value))
        names = _names([key for key, _ in items])
        yield KEYS, Text(f"{{{', '.join(names)}}}")
        yield from ((f"[{name}]", item) for name, (_, item) in zip(names, items, strict=True))
    elif issubclass(kind, list | tuple | collections.deque):
        members = members_of(value)
        yield LENGTH, len(members)
        yield from ((f"[{index}]", item) for index, item in enumerate(members[:200]))
    elif issubclass(kind, set | frozenset):
        yield KEYS, Text(f"{{{', '.join(sorted(map(_key, members_of(value))))}}}")


def attributes_of(value: Any) -> dict[str, Any]:
    """Give the attributes that hold a value's state; empty for what is not the target's."""
    if not has_state(value):
        return {}
    own = MODULES_OWN if issubclass(type(value), torch.nn.Module) else ()
    held = {**slots_of(value), **(dict_of(value) or {})}
    return {
        name: part
        for name, part in held.items()
        if isinstance(name, str) and name not in own and not is_inner(name, part)
    }


def dict_of(value: Any) -> dict[str, Any] | None:
    """Give what an object keeps its attributes in; of a type a copy."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return held if isinstance(held, dict) else dict(held)


def slots_of(value: Any) -> dict[str, Any]:
    """Give the filled slots of an object."""
    held = {}
    for name, slot in descriptors_of(type(value)).items():
        try:
            held[name] = slot.__get__(value)
        except AttributeError:  # it is empty
            continue
    return held


def descriptors_of(kind: type) -> dict[str, MemberDescriptorType]:
    """Give the slots that Python classes, not those written in C, have given a type."""
    return {
        name: slot
        for base in kind.__mro__[::-1]
        if "__slots__" in vars(base)
        for name, slot in vars(base).items()
        if type(slot) is MemberDescriptorType
    }


def has_state(value: Any) -> bool:
    """Tell whether a value's attributes are state of the target's."""
    kind = type(value)
    if issubclass(kind, type):
        return is_of_target(value)
    if kind is FunctionType:
        return is_targets(value.__code__.co_filename)
    if issubclass(kind, torch.nn.Module):
        return not issubclass(kind, OptimizedModule)
    known = (SimpleNamespace, torch.optim.Optimizer)
    return issubclass(kind, known) or is_dataclass(kind) or is_of_target(kind)


def is_inner(name: str, part: Any) -> bool:
    """Tell whether an attribute is torch's mark, or Python's, on an object of the target's."""
    if name.startswith("__"):
        return type(part) is not FunctionType
    return name in _MARKS or name.startswith("_torchdynamo_")


def is_of_target(kind: type) -> bool:
    """Tell whether a class is the target's own."""
    module = sys.modules.get(getattr(kind, "__module__", None) or "")
    return module is not None and is_targets(file_of(module))


def file_of(module: Any) -> str:
    """Give the file of a module; empty where it has none."""
    path = getattr(module, "__file__", None)
    return path if isinstance(path, str) else ""


def _cell(cell: CellType) -> Iterable[tuple[str, Any]]:
    try:
        return (("", cell.cell_contents),)
    except ValueError:  # it is empty
        return ()


def is_array(value: Any) -> bool:
    """Tell whether a value is an array of numbers, or one such number, of numpy's."""
    numpy = sys.modules.get("numpy")
    kinds = (numpy.ndarray, numpy.generic) if numpy is not None else ()
    return issubclass(type(value), kinds) and value.dtype.kind in "fiub"


def _key(key: Any) -> str:
    """Name a key; one of the target's own types may have any `__repr__`."""
    if isinstance(key, tuple) and type(key) is tuple:
        return f"({', '.join(map(_key, key))})"
    return repr(key) if type(key) in (*PLAIN, float) else type(key).__name__


def _names(keys: list[Any]) -> list[str]:
    """Name each key of a dict by another text."""
    met: collections.Counter[str] = collections.Counter()
    names = []
    for name in map(_key, keys):
        met[name] += 1
        names.append(name if met[name] == 1 else f"{name} {met[name]}")
    return names
