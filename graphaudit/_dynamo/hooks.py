"""Functions of Dynamo's that we wrap: looked at before, put back after.

Only leaf functions are wrapped. Anything nearer to the frame evaluation (`ConvertFrame.__call__`
and its like) adds a Python frame that changes what Dynamo does.
"""

from __future__ import annotations

import inspect
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """A function, and what a report lacks in a torch that does not have it."""

    owner: Any
    name: str
    # `a|b` is a name that differs by version; None where a function in C tells nothing of them
    parameters: tuple[str, ...] | None
    loss: str


@contextmanager
def installed(wrappers: Mapping[Hook, Callable[[Any], Callable[..., Any]]]) -> Iterator[None]:
    """Hold wrappers in place, each made of the function that it replaces."""
    with ExitStack() as undo:
        for hook, wrap in wrappers.items():
            if not fault(hook):
                wrapped = wrap(getattr(hook.owner, hook.name))
                undo.enter_context(patch.object(hook.owner, hook.name, wrapped))
        yield


def losses(hooks: Iterable[Hook]) -> tuple[str, ...]:
    """Name each hook that this torch lacks, with what is lost; empty if all are there."""
    return tuple(f"{hook.name} {fault(hook)}: {hook.loss}" for hook in hooks if fault(hook))


@cache
def fault(hook: Hook) -> str:
    """Say why a hook cannot be used; nothing if it can. Found once, before anything is wrapped."""
    there = getattr(hook.owner, hook.name, None)
    if there is None:
        return "is gone"
    if hook.parameters is None:
        return ""
    names = tuple(inspect.signature(there).parameters)
    fits = len(names) == len(hook.parameters) and all(
        name in choice.split("|") for name, choice in zip(names, hook.parameters, strict=True)
    )
    return "" if fits else f"takes other arguments than {', '.join(hook.parameters)}"
