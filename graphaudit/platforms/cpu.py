"""A machine without an accelerator, whatever this one has."""

from __future__ import annotations

from typing import Final

import torch

from graphaudit.platforms import accelerator

DEVICE_TYPE: Final = "cpu"


def simulate() -> None:
    """Let nothing but the processor be available: torch's CPU build, on any machine."""
    accelerator.none()
    torch.version.cuda = torch.version.hip = None
    torch._C._has_cuda = False
    for name in ("cuda", "xpu", "mps", "mtia"):
        _without(name)


def _without(name: str) -> None:
    module = getattr(torch, name, None)
    if module is not None and module.is_available():
        module.is_available = _never
        module.device_count = _zero


def _never() -> bool:
    return False


def _zero() -> int:
    return 0
