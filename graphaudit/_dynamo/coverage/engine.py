"""Notes the Python stack of a run of the autograd engine, whose own threads have none."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import torch
from torch._C._profiler import _RecordFunctionFast
from torch._dynamo.decorators import skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RUN: Final = "graphaudit: autograd engine"

_OWNERS: Final = (torch.autograd, torch.autograd.graph)
_NAME: Final = "_engine_run_backward"


@contextmanager
def noted() -> Iterator[None]:
    """Have each run of the engine recorded as a range of its own."""
    with ExitStack() as undo:
        for owner in _OWNERS:
            undo.enter_context(patch.object(owner, _NAME, _noting(getattr(owner, _NAME))))
        yield


def _noting(run: Callable[..., Any]) -> Callable[..., Any]:
    def run_backward(*args: Any, **kwargs: Any) -> Any:
        with _RecordFunctionFast(RUN):
            return run(*args, **kwargs)

    # Dynamo looks at every frame that Python enters
    skip(run_backward)
    return run_backward
