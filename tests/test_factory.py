"""The convention of entry points, on factories that keep it and that do not."""

from __future__ import annotations

from contextlib import nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from graphaudit._target.attributes import FactoryError
from graphaudit._target.factory import (
    Settings,
    find_factory,
    inputs_of,
    same_call,
    settings_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def work(x: int, y: int = 0) -> int:
    """Stand in for something to compile."""
    return x + y


def test_pair_and_triple() -> None:
    """With and without keyword arguments."""
    assert [item.kwargs for item in inputs_of(lambda: (work, (1,)))] == [{}]
    assert [item.kwargs for item in inputs_of(lambda: (work, [1], {"y": 2}))] == [{"y": 2}]


def test_a_generator_is_advanced_only_when_asked() -> None:
    """The next input may depend on what tracing the one before did."""
    seen: list[int] = []

    def audit() -> Iterator[Any]:
        for number in (1, 2):
            seen.append(number)
            yield work, (number,)

    inputs = inputs_of(audit)
    next(inputs)
    assert seen == [1]
    next(inputs)
    assert seen == [1, 2]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (42, "it returned 42: expected (callable, args)"),
        (None, "it returned None: expected"),
        ((work,), "it returned a tuple of 1: expected"),
        ((3, (1,)), "it returned 3 as the callable"),
        ((work, 1), "it returned 1 as args: write a tuple, (x,) for one argument"),
        ((work, (1,), [2]), "it returned a list of 1 as kwargs"),
        ((work, (1,), {3: 4}), "it returned a dict as kwargs"),
    ],
)
def test_nonsense_is_named(made: Any, message: str) -> None:
    """The message says what came and what was expected."""
    with pytest.raises(FactoryError) as caught:
        list(inputs_of(lambda: made))

    assert message in str(caught.value)


def test_an_empty_generator_is_named() -> None:
    """No input is no entry."""
    with pytest.raises(FactoryError, match="the generator yielded nothing"):
        list(inputs_of(lambda: (item for item in ())))


def test_attributes_are_read() -> None:
    """Set by plain assignment after the function."""

    def audit() -> Any: ...

    audit.gate = "default"  # type: ignore[attr-defined]
    audit.options = {"dynamic": True}  # type: ignore[attr-defined]
    audit._private = 1  # type: ignore[attr-defined]

    assert settings_of(audit) == Settings(gate="default", options={"dynamic": True})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("gates", "default", "unknown attribute .gates: did you mean .gate?"),
        ("xyzzy", 1, "unknown attribute .xyzzy: known are gate, options, context"),
        ("gate", "strict", '.gate is \'strict\', expected "fullgraph" or "default"'),
        ("options", 3, ".options is 3, expected a dict for torch.compile"),
        ("options", {"backend": "x"}, '.options has "backend": the audit brings its own'),
        ("options", {"fullgraph": True}, '.options has "fullgraph": write .gate instead'),
        ("context", 3, ".context is 3, expected a callable that gives a context manager"),
        (
            "context",
            nullcontext(),
            ".context is a nullcontext, expected a callable that gives a context manager: it is a "
            "context manager itself; each call needs a new one, so write `nullcontext` without",
        ),
        ("repeat", 0, ".repeat is 0, expected True or False"),
        ("platforms", ("coda",), ".platforms has 'coda': did you mean cuda?"),
        ("platforms", ("gpu",), ".platforms has 'gpu'"),
        ("capture", True, "unknown attribute .capture"),
        ("platforms", "cuda", ".platforms is 'cuda', expected a tuple of names"),
    ],
)
def test_wrong_attributes_are_named(name: str, value: Any, message: str) -> None:
    """A misspelt attribute must not be ignored."""

    def audit() -> Any: ...

    setattr(audit, name, value)
    with pytest.raises(FactoryError) as caught:
        settings_of(audit)

    assert message in str(caught.value)


def test_a_factory_that_is_gone_or_replaced_is_named() -> None:
    """Discovery reads the text; the module may do anything to the name."""
    module = ModuleType("m")
    with pytest.raises(FactoryError, match="audit_x is gone once m is imported"):
        find_factory(module, "audit_x")
    module.audit_x = 5  # type: ignore[attr-defined]
    with pytest.raises(FactoryError, match="audit_x is 5 once imported, not a function"):
        find_factory(module, "audit_x")


def test_bound_methods_of_one_object_are_one_callable() -> None:
    """Each access makes a new method object."""
    some = Some()

    assert not same_call(some.method, Some().method)
    assert same_call(some.method, some.method)


class Some:
    """Has a method."""

    def method(self) -> None:
        """Do nothing."""
