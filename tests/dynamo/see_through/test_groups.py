"""`except*`, which Dynamo breaks on where a clause is asked: the trace goes on as Python does."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
import torch

from graphaudit._dynamo.see_through.groups import joined, split

if TYPE_CHECKING:
    from collections.abc import Callable

VALUE, TYPE, KEY = ValueError(1), TypeError(2), KeyError(3)


@torch.compiler.disable
def fails(*errors: Exception) -> None:
    """Raise a group."""
    raise ExceptionGroup("several", errors)


def test_a_single_exception(ones: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """It is taken as a group of one."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        try:
            x = x + 1
            raise ValueError(x.dim())  # noqa: TRY301
        except* ValueError:
            os.getppid()
        time.sleep(0)
        return x

    assert sites(entry, ones) == ["except* ValueError:", "os.getppid()", "time.sleep(0)"]


def test_no_exception(ones: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """No clause is asked."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        try:
            time.sleep(0)
        except* ValueError:
            x = x + 1
        return x

    assert sites(entry, ones) == ["time.sleep(0)"]


def test_several_clauses_are_one_site(ones: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """They can only be mended together; each gets its part."""

    def entry(x: torch.Tensor) -> torch.Tensor:
        try:
            fails(ValueError(1), TypeError(2), ValueError(3))
        except* KeyError:
            x = x + 1
        except* ValueError:
            os.getppid()
        except* TypeError:
            os.getpid()
        time.sleep(0)
        return x

    assert sites(entry, ones) == [
        "fails(ValueError(1), TypeError(2), ValueError(3))",
        "except* KeyError:",
        "os.getppid()",
        "os.getpid()",
        "time.sleep(0)",
    ]


def test_what_no_clause_takes(ones: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """It is raised behind the clauses, with what they raise again."""

    def inner(x: torch.Tensor, *, again: bool) -> torch.Tensor:
        try:
            fails(VALUE, TYPE)
        except* ValueError:
            x = x + 1
            if again:
                raise
        return x

    def entry(x: torch.Tensor) -> torch.Tensor:
        for again, count in ((False, 1), (True, 2)):
            try:
                x = inner(x, again=again)
            except ExceptionGroup as rest:
                if len(rest.exceptions) == count:
                    time.sleep(0)
        return x

    assert sites(entry, ones) == [
        "fails(VALUE, TYPE)",
        "except* ValueError:",
        "if len(rest.exceptions) == count:",
        "time.sleep(0)",
    ]


@pytest.mark.parametrize(
    ("raised", "kind", "rest", "matching"),
    [
        (VALUE, ValueError, None, (VALUE,)),
        (VALUE, TypeError, (VALUE,), None),
        (ExceptionGroup("", [VALUE, TYPE]), ValueError, (TYPE,), (VALUE,)),
        (ExceptionGroup("", [VALUE]), (TypeError, ValueError), None, (VALUE,)),
        (ExceptionGroup("", [TYPE]), ValueError, (TYPE,), None),
    ],
)
def test_split(
    raised: Exception,
    kind: type[Exception],
    rest: tuple[Exception, ...] | None,
    matching: tuple[Exception, ...] | None,
) -> None:
    """The parts by their exceptions."""
    assert tuple(map(parts, split(raised, kind))) == (rest, matching)


GROUP = ExceptionGroup("caught", [VALUE, ExceptionGroup("in it", [TYPE])])


@pytest.mark.parametrize(
    ("raised", "left"),
    [
        ([None, None], None),
        ([None, GROUP.subgroup(TypeError)], ("caught", (GROUP.exceptions[1],))),
        ([GROUP.subgroup(ValueError), GROUP.subgroup(TypeError)], ("caught", GROUP.exceptions)),
        ([KEY, None], ("", (KEY,))),
        ([KEY, GROUP.subgroup(ValueError)], ("", (KEY, (VALUE,)))),
    ],
)
def test_joined(raised: list[Exception | None], left: tuple[object, ...] | None) -> None:
    """What comes of the group keeps its form; what is new stands beside it."""
    made = joined(GROUP, raised)

    assert (made if made is None else (made.message, forms(made))) == forms_of(left)


def parts(error: Exception | None) -> tuple[Exception, ...] | None:
    """Give the exceptions of a group, or the exception alone."""
    if error is None:
        return None
    return error.exceptions if isinstance(error, ExceptionGroup) else (error,)


def forms(group: ExceptionGroup[Exception]) -> tuple[object, ...]:
    """Give the exceptions of a group, groups as tuples."""
    inner = group.exceptions
    return tuple(forms(one) if isinstance(one, ExceptionGroup) else one for one in inner)


def forms_of(left: tuple[object, ...] | None) -> tuple[object, ...] | None:
    """Give an expectation in the same form."""
    if left is None:
        return None
    message, inner = left
    assert isinstance(inner, tuple)
    return message, tuple(forms(one) if isinstance(one, ExceptionGroup) else one for one in inner)


def test_joined_about_a_single_exception() -> None:
    """At most one clause has run."""
    assert joined(VALUE, [None]) is None
    assert joined(VALUE, [KEY]) is KEY
