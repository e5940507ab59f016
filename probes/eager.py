"""Platform probes as inference engines write them: the answer is looked up at the first call.

`is_musa` breaks a traced graph on every machine without torchada: Dynamo raises its own error for
a module that is missing, so the `except ImportError` below is never reached. `lru_cache` does not
help, since Dynamo traces the function behind the cache.
"""

from __future__ import annotations

from functools import lru_cache

import torch


@lru_cache(maxsize=1)
def is_musa() -> bool:
    """Whether this process runs on Moore Threads GPUs."""
    try:
        import torchada
    except ImportError:
        return False
    return hasattr(torch.version, "musa") and torch.version.musa is not None


@lru_cache(maxsize=1)
def is_hip() -> bool:
    """Whether this torch was built for AMD GPUs."""
    return torch.version.hip is not None


@lru_cache(maxsize=1)
def is_npu() -> bool:
    """Whether this process runs on Ascend NPUs.

    Raises:
        RuntimeError: torch_npu has registered itself but sees no device.
    """
    if not hasattr(torch, "npu"):
        return False
    if not torch.npu.is_available():
        raise RuntimeError("torch_npu detected, but NPU device is not available or visible.")
    return True
