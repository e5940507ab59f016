"""What a program can be seen to have done: its results and the state that it left, as leaves.

A leaf is a path such as `STATE['n']` and what stands there: a number, a text, a tensor's digest.
What cannot be compared (functions, open files) is left out. No code of the target's is run.
"""

from __future__ import annotations

import collections
import math
import random
import sys
from dataclasses import dataclass, field, is_dataclass
from functools import _lru_cache_wrapper, cache, lru_cache
from itertools import islice
from types import CellType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._dynamo.eval_frame import OptimizedModule
from torch.utils._python_dispatch import _disable_current_modes

from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_LEAVES: Final = 20_000
_MOST_ELEMENTS: Final = 65_536
_LONGEST: Final = 80
# behind the path of a container
KEYS: Final = ""
LENGTH: Final = " length"


class Text(str):
    """A leaf that is written as it is."""

    __slots__ = ()


_CONTAINERS: Final = (dict, list, set, collections.deque)
_PLAIN: Final = (type(None), bool, int, str, bytes, complex, range, slice, torch.dtype, Text)
_TENSORS: Final = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
_EXACT: Final = 1e-5
_HALF: Final = 1e-2
_HALVES: Final = ("torch.float16", "torch.bfloat16")
# hooks and flags of torch's own
_MODULES_OWN: Final = frozenset(vars(torch.nn.Module())) - {
    "training",
    "_parameters",
    "_buffers",
    "_modules",
}


@dataclass(frozen=True, slots=True)
class Digest:
    """A tensor in a few numbers."""

    kind: str  # dtype, shape
    numbers: tuple[float, ...] = ()
    scale: float = 0.0
    tolerance: float = 0.0

    def same(self, other: Digest) -> bool:
        """Tell whether two tensors are equal but for rounding."""
        if self.kind != other.kind or len(self.numbers) != len(other.numbers):
            return False
        slack = max(self.tolerance, other.tolerance) * max(self.scale, other.scale)
        return all(
            a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= slack
            for a, b in zip(self.numbers, other.numbers, strict=True)
        )


Leaf = str | float | Digest
Leaves = dict[str, Leaf]


def same(one: Leaf | None, other: Leaf | None) -> bool:
    """Tell whether two leaves are equal but for rounding."""
    if isinstance(one, Digest) and isinstance(other, Digest):
        return one.same(other)
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_EXACT) or (math.isnan(one) and math.isnan(other))
    return one == other


def is_fraction(leaf: Leaf | None) -> bool:
    """Tell whether a leaf is a floating point number, or a tensor of these."""
    if isinstance(leaf, Digest):
        return leaf.kind.startswith(("torch.float", "torch.bfloat")) and bool(leaf.numbers)
    return isinstance(leaf, float)


def shown(leaf: Leaf | None) -> str:
    """Write a leaf for a reader; a tensor has no short form."""
    if isinstance(leaf, Digest):
        return "a tensor"
    return "absent" if leaf is None else str(leaf)


def leaves_of(**roots: Any) -> Leaves:
    """Take apart values, each under its name."""
    walk = _Walk()
    with torch.no_grad(), _disable_current_modes():
        for name, value in roots.items():
            walk.visit(name, value)
    return walk.leaves


def leaves_of_target() -> Leaves:
    """Take apart what the target's modules hold at their top level."""
    walk = _Walk()
    with torch.no_grad(), _disable_current_modes():
        for module in target_modules():
            walk.visit_module(module)
    return walk.leaves


def names_of(module: ModuleType) -> dict[str, Any]:
    """Give what a module of the target's holds, without what it has from a library."""
    others = _library_containers(len(sys.modules))
    return {
        name: value
        for name, value in list(vars(module).items())
        if not name.startswith("__") and id(value) not in others
    }


def target_modules() -> list[ModuleType]:
    """List the imported modules that are the target's own."""
    found = [
        module
        for module in list(sys.modules.values())
        if type(module) is ModuleType and _is_the_targets(module)
    ]
    return list({id(module): module for module in found}.values())


@cache
def _is_the_targets(module: ModuleType) -> bool:
    return is_targets(_file(module))


@dataclass(slots=True)
class _Walk:
    leaves: Leaves = field(default_factory=dict)
    _seen: dict[int, Any] = field(default_factory=dict)  # keeps what it met alive: ids stay unique

    def visit_module(self, module: ModuleType) -> None:
        for name, value in names_of(module).items():
            self.visit(name, value)

    def visit(self, path: str, value: Any) -> None:
        """Add the leaves of a value, unless it was met before."""
        if type(value) in _PLAIN or type(value) is float:
            self.leaves[path] = _plain(value)
        elif len(self.leaves) < _MOST_LEAVES and id(value) not in self._seen:
            self._seen[id(value)] = value
            if type(value) in _TENSORS:
                self.leaves[path] = _digest(value)
            elif _is_array(value):
                self.leaves[path] = _digest(torch.as_tensor(value.astype("float64")))
            elif type(value) is random.Random:
                self.leaves[path] = str(hash(value.getstate()))
            else:
                for name, part in parts_of(value):
                    self.visit(f"{path}{name}", part)


def _plain(value: Any) -> Leaf:
    if type(value) is Text:
        return str(value)
    return value if type(value) is float else repr(value)[:_LONGEST]


def parts_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Give what a value is made of, each with what to write behind its path."""
    kind = type(value)
    if issubclass(kind, dict):
        ordered = issubclass(kind, collections.OrderedDict)
        items = list((collections.OrderedDict if ordered else dict).items(value))
        yield KEYS, Text(f"{{{', '.join(_key(key) for key, _ in items)}}}"[:_LONGEST])
        yield from ((f"[{_key(key)}]", item) for key, item in items)
    elif issubclass(kind, list | tuple | collections.deque):
        yield LENGTH, len(value)
        yield from ((f"[{index}]", item) for index, item in enumerate(islice(value, 200)))
    elif issubclass(kind, set | frozenset):
        yield KEYS, Text(f"{{{', '.join(sorted(map(_key, value)))}}}"[:_LONGEST])
    elif issubclass(kind, CellType):
        yield from _cell(value)
    elif type(value) is _lru_cache_wrapper:
        yield "", value.__wrapped__
    else:
        yield from ((f".{name}", part) for name, part in attributes_of(value).items())
    if issubclass(kind, MethodType):
        yield "", value.__self__
    elif issubclass(kind, FunctionType) and is_targets(value.__code__.co_filename):
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        yield from ((f".{name}", cell) for name, cell in cells)


def attributes_of(value: Any) -> dict[str, Any]:
    """Give the attributes that hold a value's state; empty for what is not the target's."""
    held = _held(value)
    if held is None or not _has_state(value):
        return {}
    own = _MODULES_OWN if issubclass(type(value), torch.nn.Module) else ()
    return {
        name: part
        for name, part in list(held.items())
        if isinstance(name, str) and name not in own and not _is_inner(name, part)
    }


def _held(value: Any) -> dict[str, Any] | None:
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return held if isinstance(held, dict) else dict(held)


def _has_state(value: Any) -> bool:
    """Tell whether a value's attributes are state of the target's."""
    kind = type(value)
    if issubclass(kind, type):
        return _is_of_target(value)
    if kind is FunctionType:
        return is_targets(value.__code__.co_filename)
    if issubclass(kind, torch.nn.Module):
        return not issubclass(kind, OptimizedModule)
    known = (SimpleNamespace, torch.optim.Optimizer)
    return issubclass(kind, known) or is_dataclass(kind) or _is_of_target(kind)


@lru_cache(maxsize=1)
def _library_containers(_modules: int) -> frozenset[int]:
    """Find the containers that libraries hold, which a target may have imported by name."""
    modules = [module for module in list(sys.modules.values()) if type(module) is ModuleType]
    return frozenset(
        id(value)
        for module in modules
        if not is_targets(_file(module))
        for value in list(vars(module).values())
        # not isinstance: it asks the object, and a proxy may answer with anything
        if issubclass(type(value), _CONTAINERS)
    )


def _is_of_target(kind: type) -> bool:
    module = sys.modules.get(getattr(kind, "__module__", None) or "")
    return module is not None and is_targets(_file(module))


def _is_inner(name: str, part: Any) -> bool:
    is_dunder = name.startswith("__") and type(part) is not FunctionType
    return is_dunder or "dynamo" in name or "compile" in name


def _file(module: Any) -> str:
    path = getattr(module, "__file__", None)
    return path if isinstance(path, str) else ""


def _cell(cell: CellType) -> Iterable[tuple[str, Any]]:
    try:
        return (("", cell.cell_contents),)
    except ValueError:  # it is empty
        return ()


def _is_array(value: Any) -> bool:
    """Tell whether a value is an array of numbers, or one such number, of numpy's."""
    numpy = sys.modules.get("numpy")
    kinds = (numpy.ndarray, numpy.generic) if numpy is not None else ()
    return issubclass(type(value), kinds) and value.dtype.kind in "fiub"


def _key(key: Any) -> str:
    """Name a key; one of the target's own types may have any `__repr__`."""
    if isinstance(key, tuple) and type(key) is tuple:
        return f"({', '.join(map(_key, key))})"
    return repr(key)[:_LONGEST] if type(key) in (*_PLAIN, float) else type(key).__name__


def _digest(tensor: torch.Tensor) -> Digest:
    kind = f"{tensor.dtype} {tuple(tensor.shape)}"
    plain = tensor.layout is torch.strided and not tensor.is_nested and not tensor.is_quantized
    if not plain or tensor.is_meta or not tensor.numel():
        return Digest(kind)
    flat = torch.view_as_real(tensor).reshape(-1) if tensor.is_complex() else tensor.reshape(-1)
    flat = flat[:: max(1, flat.numel() // _MOST_ELEMENTS)].to("cpu", torch.float64)
    ramp = torch.arange(flat.numel(), dtype=torch.float64).cos()
    scale = float(flat.abs().sum())
    numbers = (float(flat.sum()), scale, float(flat @ ramp))
    rounding = _HALF if str(tensor.dtype) in _HALVES else _EXACT
    return Digest(kind, numbers, scale, rounding if tensor.dtype.is_floating_point else 1e-12)
