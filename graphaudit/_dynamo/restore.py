"""Puts the target's own state back: two runs of one program must start from the same."""

from __future__ import annotations

import collections
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CellType, FunctionType, ModuleType
from typing import Any, Final

import torch

from graphaudit._dynamo.visible import attributes_of, names_of, parts_of, target_modules

_MOST_VALUES: Final = 20_000
_MOST_ELEMENTS: Final = 1_000_000
_DICTS: Final = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)

Undo = Callable[[], None]


def kept() -> Undo:
    """Remember what the target's modules hold; the answer puts it back."""
    keeper = _Keeper()
    for module in target_modules():
        keeper.keep_module(module)
    return keeper.put_back


@dataclass(slots=True)
class _Keeper:
    _undo: list[Undo] = field(default_factory=list)
    _seen: dict[int, Any] = field(default_factory=dict)

    def put_back(self) -> None:
        with torch.no_grad():
            for undo in self._undo:
                undo()

    def keep_module(self, module: ModuleType) -> None:
        held = vars(module)
        names = names_of(module)
        before = set(held)
        self._undo.append(lambda: _put_names_back(held, names, before))
        for value in names.values():
            self._keep(value)

    def _keep(self, value: Any) -> None:
        if id(value) in self._seen or len(self._seen) > _MOST_VALUES:
            return
        self._seen[id(value)] = value
        undo = _undo_of(value)
        if undo is not None:
            self._undo.append(undo)
        for _, part in parts_of(value):
            self._keep(part)


def _put_names_back(held: dict[str, Any], names: dict[str, Any], before: set[str]) -> None:
    for name in held.keys() - before:
        if not name.startswith("__"):  # Dynamo takes its own names out
            del held[name]
    for name, value in names.items():
        if held.get(name, names) is not value:
            held[name] = value


def _undo_of(value: Any) -> Undo | None:
    kind = type(value)
    if kind is torch.Tensor:
        return _undo_of_tensor(value)
    if kind in _DICTS:
        items = dict(value)
        return lambda: _refill(value, items)
    if kind is list:
        copy = list(value)
        return lambda: value.__setitem__(slice(None), copy)
    if kind in (set, collections.deque):
        copy = list(value)
        return lambda: (value.clear(), (value.update if kind is set else value.extend)(copy))[0]
    if kind is random.Random:
        state = value.getstate()
        return lambda: value.setstate(state)
    if kind is CellType:
        return _undo_of_cell(value)
    return _undo_of_attributes(value)


def _refill(held: Any, items: dict[Any, Any]) -> None:
    if list(held) != list(items) or any(held[key] is not items[key] for key in items):
        held.clear()
        for key, item in items.items():
            held[key] = item


def _undo_of_cell(cell: CellType) -> Undo | None:
    try:
        held = cell.cell_contents
    except ValueError:  # it is empty
        return None
    return lambda: setattr(cell, "cell_contents", held)


def _undo_of_tensor(tensor: torch.Tensor) -> Undo | None:
    if tensor.numel() > _MOST_ELEMENTS or tensor.is_meta or tensor.is_inference():
        return None
    copy, version = tensor.detach().clone(), tensor._version
    return lambda: None if tensor._version == version else _copy_back(tensor, copy)


def _copy_back(tensor: torch.Tensor, copy: torch.Tensor) -> None:
    if tensor.shape == copy.shape:
        tensor.copy_(copy)


def _undo_of_attributes(value: Any) -> Undo | None:
    kind = type(value)
    if issubclass(kind, type):
        attributes = {
            name: part
            for name, part in attributes_of(value).items()
            if not isinstance(part, FunctionType | property | classmethod | staticmethod)
        }
        return lambda: _put_class_back(value, attributes)
    if not attributes_of(value):
        return None
    held = object.__getattribute__(value, "__dict__")
    items = dict(held)
    return lambda: _refill(held, items)


def _put_class_back(kind: type, attributes: dict[str, Any]) -> None:
    for name, value in attributes.items():
        if vars(kind).get(name) is not value:
            setattr(kind, name, value)
