"""Which of the frames that Dynamo takes up is the call itself, and which only a part of it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch
from torch.nn.modules import module

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.stacks import Stack

_TORCH: Final = Path(torch.__file__).parent
_MODULE_CALL: Final = str(_TORCH / "nn" / "modules" / "module.py")
_AROUND_COMPILATION: Final = str(_TORCH / "_utils_internal.py")
_HOOKS: Final = (
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
)


def callers(above: Stack) -> Stack:
    """Give the frames of the program above a traced one, without those of the compilation."""
    return tuple(place for place in above if place.path != _AROUND_COMPILATION)


def is_whole(call: Callable[..., Any], above: Stack) -> bool:
    """Tell whether a traced frame is all that a call does.

    Dynamo leaves some callers to Python, such as the call of a module with hooks: there `forward`
    and each hook are frames of their own.
    """
    return all(place.path == _MODULE_CALL for place in above) and not (above and _has_hooks(call))


def take_out_globals(output: Any) -> None:
    """Take Dynamo's names out of the user's globals: the code that uses them is never installed."""
    for hook in output.cleanups:
        with suppress(KeyError):  # outputs of a restarted analysis share names
            hook()
    output.cleanups.clear()


def _has_hooks(call: Any) -> bool:
    everywhere: Any = module
    return any(getattr(call, name, None) for name in _HOOKS) or any(
        getattr(everywhere, f"_global{name}", None) for name in _HOOKS
    )
