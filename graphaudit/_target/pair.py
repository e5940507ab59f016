"""Pairs as the target declares them: `compare_*` factories, their attributes, their two forms.

Everything here runs the target's code and believes nothing about what it returns.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Final

from graphaudit._target.attributes import (
    FactoryError,
    check,
    check_call,
    given,
    is_names,
    made_already,
    of_a_call,
    shown,
)
from graphaudit._target.package_rules import refusal

_EXPECTED: Final = "expected (eager, safe, args) or (eager, safe, args, kwargs)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two forms of one function, and what both are called with."""

    eager: Callable[..., Any]
    safe: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSettings:
    """The optional attributes of a `compare_*` factory."""

    changes: dict[str, Callable[[], Any]] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    watch: tuple[Callable[..., Any], ...] = ()
    may_raise: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    context: Callable[[], Any] | None = None
    platforms: tuple[str, ...] | None = None


_KNOWN: Final = tuple(PairSettings.__dataclass_fields__)


def pair_settings_of(factory: Callable[[], Any]) -> PairSettings:
    """Read the attributes that stand after a `compare_*` factory.

    Raises:
        FactoryError: An attribute is unknown or has a wrong type.
    """
    settings = PairSettings(**given(factory, _KNOWN))
    changes, packages, watch = settings.changes, settings.packages, settings.watch
    check(
        settings,
        {
            "changes": (
                isinstance(changes, dict) and all(isinstance(name, str) for name in changes),
                "a dict of callables that give a context manager, each under the words for it",
            ),
            "packages": (is_names(packages), 'a tuple of names such as ("torchada",)'),
            "watch": (isinstance(watch, tuple | list), "a tuple of functions"),
            "may_raise": (isinstance(settings.may_raise, bool), "True or False"),
            **of_a_call(settings.options, settings.context, settings.platforms),
        },
    )
    check_call(settings.options, settings.platforms)
    for words, change in changes.items():
        if not callable(change):
            raise FactoryError(
                f".changes[{words!r}] is {shown(change)}, expected a callable that gives a "
                f"context manager{made_already(change)}"
            )
    for function in watch:
        code_of(function)
    for name in packages:
        if why := refusal(name):
            raise FactoryError(f".packages has {name!r}: {why}")
    return settings


def pair_of(factory: Callable[[], Any]) -> Pair:
    """Call a factory.

    Raises:
        FactoryError: What it returned is no pair.
    """
    made = factory()
    if not isinstance(made, tuple | list) or len(made) not in (3, 4):
        raise FactoryError(f"it returned {shown(made)}: {_EXPECTED}")
    eager, safe, args, *rest = made
    kwargs = rest[0] if rest else {}
    for name, form in (("eager", eager), ("safe", safe)):
        if not callable(form):
            raise FactoryError(f"it returned {shown(form)} as the {name} form: {_EXPECTED}")
    if not isinstance(args, tuple | list):
        raise FactoryError(f"it returned {shown(args)} as args: write a tuple, () for no argument")
    if not isinstance(kwargs, dict) or not all(isinstance(name, str) for name in kwargs):
        raise FactoryError(f"it returned {shown(kwargs)} as kwargs: expected a dict with names")
    return Pair(eager=eager, safe=safe, args=tuple(args), kwargs=kwargs)


def code_of(function: Callable[..., Any]) -> CodeType:
    """Give the code of a function that a pair watches, behind what is wrapped around it.

    Raises:
        FactoryError: It has none: it is not written in Python, or no function.
    """
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    if not isinstance(code, CodeType):
        raise FactoryError(f".watch has {shown(function)}, expected functions written in Python")
    return code
