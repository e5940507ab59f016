"""Real Python in the middle of a trace."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._python_dispatch import _disable_current_modes

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def outside() -> Iterator[None]:
    """Hold off the trace: no fake mode, no dispatch modes, `is_compiling()` as in eager code."""
    compiler: Any = torch.compiler
    flag = compiler._is_compiling_flag
    compiler._is_compiling_flag = False
    try:
        with unset_fake_temporarily(), _disable_current_modes():
            yield
    finally:
        compiler._is_compiling_flag = flag


@contextmanager
def left_to_python() -> Iterator[None]:
    """Hold off compilation: what is compiled below a real step is traced on its own later."""
    with torch.compiler.set_stance("force_eager"):
        yield
