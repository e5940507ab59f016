"""Notes the Python stack of a run of the autograd engine, whose own threads have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from torch._C._profiler import _RecordFunctionFast
from torch._dynamo.decorators import skip

from graphaudit._dynamo import hooks
from graphaudit._dynamo.hooks import Hook

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

RUN: Final = "graphaudit: autograd engine"

HOOKS: Final = tuple(
    Hook(
        owner=owner,
        name="_engine_run_backward",
        parameters=None,
        loss="operators are not counted",
    )
    for owner in (torch.autograd, torch.autograd.graph)
)


def noted() -> AbstractContextManager[None]:
    """Have each run of the engine recorded as a range of its own."""
    return hooks.installed(dict.fromkeys(HOOKS, _noting))


def _noting(run: Callable[..., Any]) -> Callable[..., Any]:
    def run_backward(*args: Any, **kwargs: Any) -> Any:
        with _RecordFunctionFast(RUN):
            return run(*args, **kwargs)

    # Dynamo looks at every frame that Python enters
    skip(run_backward)
    return run_backward
