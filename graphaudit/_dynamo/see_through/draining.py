"""Generators as entries: Dynamo compiles no generator frame, but traces one that is drained."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_ITEMS: Final = 64


class EndlessError(Exception):
    """A generator gave more items than a trace follows."""


def drained(call: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function that takes every item of a generator; any other callable as it is."""
    if not inspect.isgeneratorfunction(_function(call)):
        return call

    def drain(*args: Any, **kwargs: Any) -> None:
        for index, _ in enumerate(call(*args, **kwargs)):
            if index == _ITEMS:
                raise EndlessError(f"the generator gives more than {_ITEMS} items")

    return drain


def is_coroutine(call: Callable[..., Any]) -> bool:
    """Tell whether a call only makes something to be awaited."""
    function = _function(call)
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _function(call: Any) -> Any:
    return inspect.unwrap(getattr(call, "forward", call))
