"""What a run leaves in the target's modules is put back, whatever holds it."""

from __future__ import annotations

import collections
import copy
import random
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from graphaudit._dynamo import restore
from graphaudit._dynamo.visible import leaves_of

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class Slots:
    """Has no `__dict__`."""

    number: int = 0


class Empty:
    """An object without attributes, of a class with one."""

    number = 0


class Registry(dict[str, int]):
    """A dict whose methods are its own."""

    def __setitem__(self, key: str, value: int) -> None:
        """Refuse: it is put back without the target's code."""
        raise AssertionError


class Named(list[int]):
    """A list of the target's own kind."""


def function() -> None:
    """Do nothing; it may be given attributes."""


def train(model: torch.nn.Linear) -> None:
    """Do one step, as a program does."""
    model(torch.ones(2, 3)).sum().backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.sub_(0.1)


def through_data(tensor: torch.Tensor) -> None:
    """Change a tensor without its version."""
    tensor.data.add_(1)


def another_data(tensor: torch.Tensor) -> None:
    """Put other memory, of another shape, under a tensor."""
    tensor.add_(1)
    tensor.data = torch.zeros(7)


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "parameter": (lambda: torch.nn.Linear(3, 1), train),
    "data": (lambda: torch.ones(3), through_data),
    "other data": (lambda: torch.ones(3), another_data),
    "large": (lambda: torch.zeros(1_100, 1_000), lambda it: it.add_(1)),
    "not finite": (lambda: torch.full((3,), float("nan")), lambda it: it.fill_(1)),
    "buffer": (lambda: torch.nn.Buffer(torch.ones(3)), lambda it: it.mul_(2)),
    "frozen": (
        lambda: torch.nn.Parameter(torch.ones(3)),
        lambda it: it.requires_grad_(requires_grad=False).add_(1),
    ),
    "empty object": (Empty, lambda it: setattr(it, "number", 1)),
    "slots": (Slots, lambda it: setattr(it, "number", 1)),
    "empty slot": (lambda: object.__new__(Slots), lambda it: setattr(it, "number", 1)),
    "deleted slot": (Slots, lambda it: delattr(it, "number")),
    "function": (lambda: function, lambda it: setattr(it, "number", 1)),
    "dict": (lambda: Registry(a=1), lambda it: dict.__setitem__(it, "a", 2)),
    "order": (
        lambda: collections.OrderedDict(a=1, b=2),
        lambda it: it.move_to_end("a"),
    ),
    "list": (lambda: Named([1]), lambda it: it.append(2)),
    "set": (lambda: {1}, lambda it: it.add(2)),
    "queue": (lambda: collections.deque([1], maxlen=1), lambda it: it.append(2)),
    "bytes": (lambda: bytearray(b"a"), lambda it: it.extend(b"b")),
    "array": (lambda: np.zeros(3), lambda it: it.fill(1)),
    "generator": (lambda: random.Random(1), lambda it: it.random()),  # noqa: S311 - a test of it
    "hooks": (
        lambda: torch.nn.Linear(1, 1),
        lambda it: it.register_forward_hook(lambda *_: None),
    ),
}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Make a module of the target's."""
    made = ModuleType("restored")
    made.__file__ = __file__
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def state(value: Any) -> Any:
    """Give what can be seen of a value, and its hooks and gradients, which are no leaves."""
    hooks = len(getattr(value, "_forward_hooks", ()))
    parameters = list(value.parameters()) if isinstance(value, torch.nn.Module) else [value]
    grads = [getattr(one, "grad", None) for one in parameters]
    flags = [getattr(one, "requires_grad", None) for one in parameters]
    return copy.deepcopy((leaves_of(value=value), hooks, grads, flags))


@pytest.mark.parametrize("name", CHANGES)
def test_change_is_put_back(module: ModuleType, name: str) -> None:
    """The value is the same object, and holds what it held."""
    make, change = CHANGES[name]
    value = make()
    module.__dict__["value"] = value
    before = state(value)
    put_back = restore.kept()

    change(value)
    assert state(value) != before
    put_back()

    assert module.__dict__["value"] is value
    assert state(value) == before


def test_class_is_put_back(module: ModuleType) -> None:
    """New attributes go, replaced methods come back."""

    def method(_self: Any) -> int:
        return 1

    kind = type("Kind", (), {"__module__": module.__name__, "method": method})
    module.__dict__["kind"] = kind
    put_back = restore.kept()

    kind.calls = 1  # type: ignore[attr-defined]
    kind.method = lambda _self: 2  # type: ignore[attr-defined]
    put_back()

    assert not hasattr(kind, "calls")
    assert vars(kind)["method"] is method
