"""The convention of pairs, on factories that keep it and that do not."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

import pytest

from graphaudit._target.attributes import FactoryError
from graphaudit._target.pair import PairSettings, code_of, pair_of, pair_settings_of

if TYPE_CHECKING:
    from collections.abc import Callable


def one(x: int = 0) -> int:
    """Stand in for the eager form."""
    return x


def two(x: int = 0) -> int:
    """Stand in for the safe form."""
    return x


def factory(**attributes: Any) -> Callable[[], Any]:
    """Make a factory with attributes."""

    def compare_x() -> tuple[Any, ...]:
        return one, two, ()

    vars(compare_x).update(attributes)
    return compare_x


@pytest.mark.parametrize(
    ("made", "args", "kwargs"),
    [
        ((one, two, ()), (), {}),
        ((one, two, (1,)), (1,), {}),
        ((one, two, [1, 2]), (1, 2), {}),
        ((one, two, (), {"x": 3}), (), {"x": 3}),
        ([one, two, ()], (), {}),
    ],
)
def test_what_is_a_pair(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Two callables, a tuple or list of arguments, perhaps keywords."""
    pair = pair_of(lambda: made)
    assert (pair.eager, pair.safe, pair.args, pair.kwargs) == (one, two, args, kwargs)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (None, "it returned None: expected (eager, safe, args) or (eager, safe, args, kwargs)"),
        ((one, two), "it returned a tuple of 2"),
        ((one, two, (), {}, 1), "it returned a tuple of 5"),
        ((1, two, ()), "it returned 1 as the eager form"),
        ((one, "two", ()), "it returned 'two' as the safe form"),
        ((one, two, 1), "it returned 1 as args: write a tuple, () for no argument"),
        ((one, two, (), [1]), "it returned a list of 1 as kwargs"),
        ((one, two, (), {1: 2}), "it returned a dict as kwargs"),
    ],
)
def test_what_is_none(made: Any, message: str) -> None:
    """It says what came, and what is expected."""
    with pytest.raises(FactoryError) as caught:
        pair_of(lambda: made)
    assert message in str(caught.value)


def test_a_factory_without_attributes_has_the_defaults() -> None:
    """No change, no package, no exception for an answer."""
    assert pair_settings_of(factory()) == PairSettings()


def test_all_attributes_are_read() -> None:
    """As they stand."""
    attributes = {
        "changes": {"it rains": contextlib.nullcontext},
        "packages": ("torchada",),
        "watch": (one,),
        "may_raise": True,
        "options": {"dynamic": True},
        "context": contextlib.nullcontext,
        "platforms": ("cuda",),
    }
    assert pair_settings_of(factory(**attributes)) == PairSettings(**attributes)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"change": {}}, "unknown attribute .change: did you mean .changes?"),
        ({"gate": "default"}, "unknown attribute .gate"),
        ({"changes": [1]}, ".changes is a list of 1, expected a dict of callables"),
        ({"changes": {1: one}}, ".changes is a dict, expected a dict of callables"),
        ({"changes": {"x": 1}}, ".changes['x'] is 1, expected a callable that gives a context"),
        (
            {"changes": {"x": contextlib.nullcontext()}},
            "it is a context manager itself; each call needs a new one, so write `nullcontext`",
        ),
        ({"packages": "torchada"}, ".packages is 'torchada', expected a tuple of names"),
        ({"packages": ("torch",)}, ".packages has 'torch': the audit itself runs on torch"),
        ({"packages": ("flash-attn",)}, ".packages has 'flash-attn': it is no module name"),
        ({"watch": one}, ".watch is a function, expected a tuple of functions"),
        ({"watch": (len,)}, ".watch has a builtin_function_or_method, expected functions written"),
        ({"watch": (3,)}, ".watch has 3, expected functions written in Python"),
        ({"may_raise": 1}, ".may_raise is 1, expected True or False"),
        ({"options": {"fullgraph": True}}, '.options has "fullgraph"'),
        ({"context": 1}, ".context is 1, expected a callable that gives a context manager"),
        ({"platforms": ("cudo",)}, ".platforms has 'cudo': did you mean cuda?"),
    ],
)
def test_attributes_that_cannot_be(attributes: dict[str, Any], message: str) -> None:
    """Each is refused by name."""
    with pytest.raises(FactoryError) as caught:
        pair_settings_of(factory(**attributes))
    assert message in str(caught.value)


def test_a_watched_function_is_known_behind_its_wrappers() -> None:
    """A cache hides no function."""
    assert code_of(functools.lru_cache(maxsize=1)(one)) is one.__code__
