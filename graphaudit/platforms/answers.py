"""Functions in place of torch's C functions, which Dynamo has to take for those.

C functions have no frame. Ours have, and Dynamo, which asks some of them while it compiles one
frame, must not start to compile theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from torch._C._dynamo.eval_frame import (
    _FrameAction,
    _FrameExecStrategy,
    set_code_exec_strategy,
)

from graphaudit.platforms.errors import NotSimulated

if TYPE_CHECKING:
    from collections.abc import Callable


_SKIP: Final = _FrameExecStrategy(_FrameAction.SKIP, _FrameAction.SKIP)  # it and what it calls


def constant(answer: Any) -> Callable[..., Any]:
    """Make a function that gives `answer`, whatever it is asked."""
    return unseen(lambda *_args, **_kwargs: answer)


def checked(check: Callable[[int], object], answer: Callable[[], Any]) -> Callable[..., Any]:
    """Make a function that takes the index of a device, refuses some of them, and answers."""

    def ask(index: int = 0) -> Any:
        check(index)
        return answer()

    return unseen(ask)


def refusing(name: str) -> Callable[[str], Callable[..., Any]]:
    """Give what makes, for a function of `torch._C`, one that says it has no answer.

    Args:
        name: The device as errors call it.
    """

    def refuse(function: str) -> Callable[..., Any]:
        def ask(*_args: Any, **_kwargs: Any) -> Any:
            raise NotSimulated(f"not simulated: torch._C.{function} on {name}")

        return unseen(ask)

    return refuse


def unseen(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that Dynamo does not compile, nor what it calls."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    set_code_exec_strategy(call.__code__, _SKIP)
    return call
