"""What a difference can be seen by: digests of tensors, texts, attributes, slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import torch

from graphaudit._dynamo.parts import is_inner
from graphaudit._dynamo.visible import leaves_of, same, shown

INF = float("inf")
NAN = float("nan")
LOWEST = torch.finfo(torch.float32).min


def alike(one: Any, other: Any) -> bool:
    """Tell whether two values leave the same leaves."""
    mine, theirs = leaves_of(value=one), leaves_of(value=other)
    assert mine
    return mine.keys() == theirs.keys() and all(same(mine[path], theirs[path]) for path in mine)


def upper(number: float) -> torch.Tensor:
    """Mask what is above the diagonal."""
    return torch.full((4, 4), number).triu(1)


def lower(number: float) -> torch.Tensor:
    """Mask what is below the diagonal."""
    return torch.full((4, 4), number).tril(-1)


class Named:
    """Has attributes whose names speak of compilation."""

    def __init__(self, number: int) -> None:
        """Hold a number under each name."""
        self.compiled_calls = number
        self.dynamo = number


@dataclass(slots=True)
class Slots:
    """Has no `__dict__`."""

    number: int


class More(Slots):
    """Has slots from its base, and a `__dict__`."""


class Registry(dict[str, int]):
    """A dict with an attribute."""

    hits = 0


def registry(hits: int) -> Registry:
    """Make a dict that was asked so often."""
    made = Registry(a=1)
    made.hits = hits
    return made


def closed_over(number: int) -> Any:
    """Make a function that holds a number, in front of which a library stands."""
    return torch.compiler.disable(lambda: number)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (upper(-INF), lower(-INF)),
        (upper(NAN), lower(NAN)),
        (upper(INF), upper(-INF)),
        (upper(INF), upper(NAN)),
        (torch.tensor([NAN, 1.0]), torch.tensor([NAN, 2.0])),
        (torch.tensor([LOWEST, 1.0]), torch.tensor([LOWEST, 2.0])),
        (torch.tensor([1e308, 1e308, 1.0]), torch.tensor([1e308, 1e308, 2.0])),
        (torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0])),
        (torch.tensor([1j]), torch.tensor([2j])),
        ("x" * 90 + "1", "x" * 90 + "2"),
        (b"x" * 20_000 + b"1", b"x" * 20_000 + b"2"),
        (bytearray(b"1"), bytearray(b"2")),
        (10**5_000, 10**5_000 + 1),
        ({"k" * 90 + "1": 0}, {"k" * 90 + "2": 0}),
        ({Slots: 1, Named(0): 2}, {Slots: 1, Named(0): 3}),
        ({Named(0): 1, Named(0): 2}, {Named(0): 3, Named(0): 2}),
        (Named(1), Named(2)),
        (Slots(1), Slots(2)),
        (More(1), More(2)),
        (registry(1), registry(2)),
        (closed_over(1), closed_over(2)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_difference_is_seen(one: Any, other: Any) -> None:
    """No size, place, name or length hides what differs."""
    assert not alike(one, other)
    assert alike(one, one)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.complex64])
def test_rounding_is_no_difference(dtype: torch.dtype) -> None:
    """Kernels may add in another order."""
    numbers = torch.linspace(-3, 1e4, 1_000, dtype=torch.float32).to(dtype)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    assert alike(numbers, (numbers.to(wide) * (1 + 1e-7)).to(dtype))


def test_attributes_that_torch_sets_are_no_state() -> None:
    """What `torch.compile` and its like leave on a module of the target's is theirs."""
    module = torch.nn.Linear(1, 1)
    before = set(vars(module))
    torch.compile(module, backend="eager")
    module.compile(backend="eager")
    torch.compiler.disable(module.forward)
    added = {name: part for name, part in vars(module).items() if name not in before}
    assert added.keys() >= {"_is_torch_compile"}
    assert all(is_inner(name, part) for name, part in added.items())


def test_long_texts_are_shown_from_where_they_differ() -> None:
    """A reader sees the difference, not what is before it."""
    one, other = "x" * 90 + "one" + "y" * 90, "x" * 90 + "other" + "y" * 90
    assert shown(one, other).startswith("..." + "x" * 19 + "one")
    assert shown(other, one).startswith("..." + "x" * 19 + "other")
    assert len(shown(one, other)) < 90
    assert shown("one", "other") == "one"
