"""Puts the target's own state back: two runs of one program must start from the same."""

from __future__ import annotations

import collections
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import CellType, MemberDescriptorType, ModuleType
from typing import Any, Final

import torch
from torch.utils._python_dispatch import _disable_current_modes

from graphaudit._dynamo.parts import (
    MODULES_OWN,
    attributes_of,
    descriptors_of,
    dict_of,
    has_state,
    is_array,
    parts_of,
    slots_of,
)
from graphaudit._dynamo.visible import TENSORS, names_of, target_modules

_MOST_VALUES: Final = 20_000
_MOST_ELEMENTS: Final = 50_000_000  # of all tensors together, that is 200 MB

Undo = Callable[[], None]


def kept() -> Undo:
    """Remember what the target's modules hold; the answer puts it back."""
    keeper = _Keeper()
    for module in target_modules():
        keeper.keep_module(module)
    return keeper.put_back


def kept_values(*values: Any) -> Undo:
    """Remember what values hold; the answer puts it back, as often as it is called."""
    keeper = _Keeper()
    with torch.no_grad(), _disable_current_modes():
        for value in values:
            keeper.keep(value)
    return keeper.put_back


@dataclass(slots=True)
class _Keeper:
    _undo: list[Undo] = field(default_factory=list)
    _seen: dict[int, Any] = field(default_factory=dict)
    _elements: int = 0

    def put_back(self) -> None:
        """Put back all that was remembered."""
        with torch.no_grad(), _disable_current_modes():
            for undo in self._undo:
                undo()

    def keep_module(self, module: ModuleType) -> None:
        """Remember what a module holds under its names."""
        held = vars(module)
        names = names_of(module)
        before = set(held)
        self._undo.append(lambda: _put_names_back(held, names, before))
        for value in names.values():
            self.keep(value)

    def keep(self, value: Any) -> None:
        """Remember what a value holds, and what stands below it."""
        if id(value) in self._seen or len(self._seen) > _MOST_VALUES:
            return
        self._seen[id(value)] = value
        if type(value) in TENSORS:
            self._keep_tensor(value)
            return
        self._undo += _undo_of(value)
        for _, part in parts_of(value):
            self.keep(part)

    def _keep_tensor(self, tensor: torch.Tensor) -> None:
        self._elements += tensor.numel()
        if self._elements <= _MOST_ELEMENTS and not tensor.is_meta and not tensor.is_inference():
            self._undo.append(_undo_of_tensor(tensor))
            if tensor.is_leaf:
                self.keep(tensor.grad)


def _put_names_back(held: dict[str, Any], names: dict[str, Any], before: set[str]) -> None:
    for name in held.keys() - before:
        if not name.startswith("__"):  # Dynamo takes its own names out
            del held[name]
    for name, value in names.items():
        if held.get(name, names) is not value:
            held[name] = value


def _undo_of(value: Any) -> list[Undo]:
    """Give what puts one value back: what it holds, and its attributes."""
    if type(value) is CellType:
        return _undo_of_cell(value)
    if issubclass(type(value), type):
        return [_undo_of_class(value)]
    own = _undo_of_items(value)
    return [*([own] if own else []), *_undo_of_attributes(value)]


def _undo_of_items(value: Any) -> Undo | None:
    kind = type(value)
    if issubclass(kind, dict):
        return _undo_of_dict(value)
    if issubclass(kind, list):
        copy = list.copy(value)
        return lambda: list.__setitem__(value, slice(None), copy)
    if issubclass(kind, bytearray):
        data = bytes(value)
        return lambda: bytearray.__setitem__(value, slice(None), data)
    if issubclass(kind, set):
        members = set.copy(value)
        return lambda: (set.clear(value), set.update(value, members))[0]
    if issubclass(kind, collections.deque):
        queue = list(collections.deque.__iter__(value))
        return lambda: (
            collections.deque.clear(value),
            collections.deque.extend(value, queue),
        )[0]
    if kind is random.Random:
        state = value.getstate()
        return lambda: value.setstate(state)
    if is_array(value) and value.shape and value.flags.writeable:
        numbers = value.copy()
        return lambda: value.__setitem__(..., numbers)
    return None


def _undo_of_dict(held: dict[Any, Any]) -> Undo:
    # not the methods of a class of the target's
    kind = collections.OrderedDict if isinstance(held, collections.OrderedDict) else dict
    items = list(kind.items(held))

    def put_back() -> None:
        now = list(kind.items(held))
        if len(now) != len(items) or any(
            key is not old or item is not value
            for (key, item), (old, value) in zip(now, items, strict=True)
        ):
            kind.clear(held)
            for key, item in items:
                kind.__setitem__(held, key, item)

    return put_back


def _undo_of_cell(cell: CellType) -> list[Undo]:
    try:
        held = cell.cell_contents
    except ValueError:  # it is empty
        return []
    return [lambda: setattr(cell, "cell_contents", held)]


def _undo_of_attributes(value: Any) -> list[Undo]:
    if not has_state(value):
        return []
    held = dict_of(value)
    undo = [] if held is None else [_undo_of_dict(held)]
    if held and isinstance(value, torch.nn.Module):
        # hooks: a factory may add one at each call
        inner = (held.get(name) for name in MODULES_OWN)
        undo += [_undo_of_dict(each) for each in inner if isinstance(each, dict)]
    slots = descriptors_of(type(value))
    return [*undo, _undo_of_slots(value, slots)] if slots else undo


def _undo_of_slots(value: Any, slots: dict[str, MemberDescriptorType]) -> Undo:
    filled = slots_of(value)

    def put_back() -> None:
        now = slots_of(value)
        for name, slot in slots.items():
            if name in filled and now.get(name, slots) is not filled[name]:
                slot.__set__(value, filled[name])
            elif name in now and name not in filled:
                slot.__delete__(value)

    return put_back


def _undo_of_class(kind: type) -> Undo:
    before, attributes = set(vars(kind)), attributes_of(kind)

    def put_back() -> None:
        for name in set(attributes_of(kind)) - before:
            type.__delattr__(kind, name)
        for name, value in attributes.items():
            if vars(kind).get(name) is not value:
                type.__setattr__(kind, name, value)

    return put_back


def _undo_of_tensor(tensor: torch.Tensor) -> Undo:
    alias, copy, version = tensor.detach(), tensor.detach().clone(), tensor._version
    leaf = (tensor.requires_grad, tensor.grad) if tensor.is_leaf else None

    def put_back() -> None:
        # what the target has made of a tensor may forbid it
        with suppress(RuntimeError):
            if leaf is not None:
                _put_leaf_back(tensor, *leaf)
            _put_data_back(tensor, alias, copy, version)

    return put_back


def _put_leaf_back(tensor: torch.Tensor, needs_grad: bool, grad: torch.Tensor | None) -> None:
    if not tensor.is_leaf:
        tensor.detach_()
    if tensor.requires_grad != needs_grad:
        tensor.requires_grad_(needs_grad)
    if tensor.grad is not grad:
        tensor.grad = grad


def _put_data_back(
    tensor: torch.Tensor, alias: torch.Tensor, copy: torch.Tensor, version: int
) -> None:
    if tensor.layout is not torch.strided or tensor.is_nested:
        if tensor._version != version:
            tensor.copy_(copy)
        return
    # through `.data` the version stays as it was
    place = (tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride())
    if place != (alias.data_ptr(), alias.dtype, alias.shape, alias.stride()):
        tensor.data = alias
    if not torch.equal(tensor, copy):
        tensor.copy_(copy)
