"""Functions that answer the same whatever they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def constant(answer: Any) -> Callable[..., Any]:
    """Make a function that gives `answer`."""
    return lambda *_args, **_kwargs: answer
