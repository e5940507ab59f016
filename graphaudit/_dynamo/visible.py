"""What a program can be seen to have done: its results and the state that it left, as leaves.

A leaf is a path such as `STATE['n']` and what stands there: a number, a text, a tensor's digest.
What cannot be compared (functions, open files) is left out. No code of the target's is run.
"""

from __future__ import annotations

import collections
import math
import random
import sys
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch
from torch.utils._python_dispatch import _disable_current_modes

from graphaudit._dynamo.digests import Digest, digest
from graphaudit._dynamo.parts import PLAIN, Text, file_of, is_array, parts_of
from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Container

_MOST_LEAVES: Final = 20_000
_LONGEST: Final = 80
_BEFORE: Final = 20
_KEPT: Final = 10_000  # characters of a text; the rest is hashed
_LARGEST: Final = 1 << 4_000  # Python refuses to write much larger numbers
_CONTAINERS: Final = (dict, list, set, collections.deque)
TENSORS: Final = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
_EXACT: Final = 1e-5

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


def shown(leaf: Leaf | None, other: Leaf | None = None) -> str:
    """Write a leaf for a reader, from where it parts from another; a tensor has no short form."""
    if isinstance(leaf, Digest):
        return "a tensor"
    text = "absent" if leaf is None else str(leaf)
    if isinstance(other, str):
        pairs = enumerate(zip(text, other, strict=False))
        alike = next((place for place, (a, b) in pairs if a != b), 0)
        text = text if alike < _LONGEST // 2 else f"...{text[alike - _BEFORE :]}"
    return shortened(text)


def shortened(text: str) -> str:
    """Cut a text that is too long for a line."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def leaves_of(**roots: Any) -> Leaves:
    """Take apart values, each under its name."""
    walk = _Walk()
    with torch.no_grad(), _disable_current_modes():
        for name, value in roots.items():
            walk.visit(name, value)
    return walk.leaves


def leaves_of_target(added: Container[tuple[int, str]] = ()) -> Leaves:
    """Take apart what the target's modules hold at their top level.

    Args:
        added: Names that are not the target's, each with the id of the globals that hold it.
    """
    walk = _Walk()
    with torch.no_grad(), _disable_current_modes():
        for module in target_modules():
            walk.visit_module(module, added)
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
    """List the imported modules that are the target's own.

    The last imported is first: the entry's own file is among these, and counts most where a walk
    over all of them has to stop.
    """
    found = [
        module
        for module in reversed(list(sys.modules.values()))
        if type(module) is ModuleType and _is_the_targets(module)
    ]
    return list({id(module): module for module in found}.values())


@cache
def _is_the_targets(module: ModuleType) -> bool:
    return is_targets(file_of(module))


@dataclass(slots=True)
class _Walk:
    leaves: Leaves = field(default_factory=dict)
    _seen: dict[int, Any] = field(default_factory=dict)  # keeps what it met alive: ids stay unique
    _names: set[str] = field(default_factory=set)

    def visit_module(self, module: ModuleType, added: Container[tuple[int, str]]) -> None:
        for name, value in names_of(module).items():
            if (id(vars(module)), name) in added:
                continue
            # two modules may have a name in common
            is_taken = name in self._names
            self._names.add(name)
            self.visit(f"{module.__name__}.{name}" if is_taken else name, value)

    def visit(self, path: str, value: Any) -> None:
        """Add the leaves of a value, unless it was met before."""
        if type(value) in PLAIN or type(value) is float:
            self.leaves[path] = _plain(value)
        elif len(self.leaves) < _MOST_LEAVES and id(value) not in self._seen:
            self._seen[id(value)] = value
            if type(value) in TENSORS:
                self.leaves[path] = digest(value)
            elif is_array(value):
                self.leaves[path] = digest(torch.as_tensor(value.astype("float64")))
            elif type(value) is random.Random:
                self.leaves[path] = str(hash(value.getstate()))
            else:
                for name, part in parts_of(value):
                    self.visit(f"{path}{name}", part)


def _plain(value: Any) -> Leaf:
    if type(value) is float:
        return value
    if type(value) is int and abs(value) > _LARGEST:
        return hex(value)
    text = str(value) if type(value) is Text else repr(value)
    return text if len(text) <= _KEPT else f"{text[:_KEPT]} {len(text)} {hash(text)}"


@lru_cache(maxsize=1)
def _library_containers(_modules: int) -> frozenset[int]:
    """Find the containers that libraries hold, which a target may have imported by name."""
    modules = [module for module in list(sys.modules.values()) if type(module) is ModuleType]
    return frozenset(
        id(value)
        for module in modules
        if not is_targets(file_of(module))
        for value in list(vars(module).values())
        # not isinstance: it asks the object, and a proxy may answer with anything
        if issubclass(type(value), _CONTAINERS)
    )
