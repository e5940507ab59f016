"""Counts operators by a way of its own: a kernel that stands before all others in the dispatcher.

It shares nothing with the product: no profiler, no stack as text, a backend of its own. The key
that leads to the kernel shows in Dynamo's guards, so it is off while Dynamo compiles, and every
frame is compiled again.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._C import DisableTorchFunction, _ExcludeDispatchKeyGuard
from torch._dynamo import config, convert_frame
from torch._dynamo.callback import callback_handler
from torch._dynamo.eval_frame import set_eval_frame, skip_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_KEY: Final = torch._C._parse_dispatch_key("TESTING_ONLY_GenericMode")
_KEYS: Final = torch._C.DispatchKeySet(_KEY)
_TORCH: Final = torch.__path__[0]
_GRAPH: Final = "backend.<locals>.run"

Counted = list[tuple[str, str, int]]  # name, where, line of the innermost frame outside torch

_counted: Counted = []
_registered: list[torch.library.Library] = []


def _count(op: torch._ops.OpOverload, *args: Any, **kwargs: Any) -> Any:
    """Note an operator and run it, with what it calls itself unseen."""
    callback = set_eval_frame(None)
    try:
        frame: FrameType | None = sys._getframe(1)
        line, where = 0, "eager"
        while frame is not None and where == "eager":
            path = frame.f_code.co_filename
            if not line and not path.startswith(_TORCH):
                line = frame.f_lineno
            where = _where(frame)
            frame = frame.f_back
        _counted.append((op._schema.name, where, line))
        with _ExcludeDispatchKeyGuard(_KEYS), DisableTorchFunction():
            return op(*args, **kwargs)
    finally:
        set_eval_frame(callback)


skip_code(_count.__code__)


def _where(frame: FrameType) -> str:
    if frame.f_code.co_filename == convert_frame.__file__:
        return "compiling"
    is_graph = frame.f_code.co_filename == __file__ and frame.f_code.co_qualname == _GRAPH
    return "graph" if is_graph else "eager"


def backend(graph: torch.fx.GraphModule, _inputs: Any, **_options: Any) -> Callable[..., Any]:
    """Run a graph as it is, below a frame that is known here."""
    forward = graph.forward

    def run(*args: Any) -> Any:
        return forward(*args)

    return run


@contextmanager
def counting() -> Iterator[Counted]:
    """Count what is dispatched; Dynamo compiles every frame again."""
    if not _registered:
        _registered.append(torch.library.Library("_", "IMPL"))
        _registered[0].fallback(_count, "TESTING_ONLY_GenericMode")
    _counted.clear()
    limits = config.patch(recompile_limit=1000, accumulated_recompile_limit=1000)
    callback_handler.register_start_callback(_off)
    callback_handler.register_end_callback(_on)
    with limits:
        _on()
        try:
            yield _counted
        finally:
            _off()
            callback_handler.remove_start_callback(_off)
            callback_handler.remove_end_callback(_on)


def _on(_args: Any = None) -> None:
    torch._C._dispatch_tls_set_dispatch_key_included(_KEY, True)


def _off(_args: Any = None) -> None:
    torch._C._dispatch_tls_set_dispatch_key_included(_KEY, False)
