"""Platform probes that can be traced: answered once, when this module is imported.

The functions at the end read constants and do nothing else, so a traced call costs one guard and
never breaks the graph. The private deciders run at import only; their imports are never traced.

Importing this module does not raise. Where the eager form raises, the safe form raises the same
error when it is called, from what was kept at import.

What torch knows is read at import too: a plug-in that adds `torch.npu` or `torch.version.musa`
has to be imported before this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

# How to build an error again. A kept instance would do for plain Python, but Dynamo follows a
# `raise` into an `except` only when the error is built where it is raised.
Failure: TypeAlias = tuple[type[Exception], tuple[object, ...]]


def _musa() -> bool:
    """Whether torchada imports and torch names a MUSA version."""
    try:
        import torchada
    except ImportError:
        return False
    return getattr(torch.version, "musa", None) is not None


def _npu() -> bool:
    """Whether torch has an `npu` module that sees a device.

    Raises:
        RuntimeError: the module is there and sees none.
    """
    npu = getattr(torch, "npu", None)
    if npu is not None and not npu.is_available():
        raise RuntimeError("torch_npu detected, but NPU device is not available or visible.")
    return npu is not None


def _decide(probe: Callable[[], bool]) -> tuple[bool, Failure | None]:
    """The answer of `probe`, and how to build the error that it raised instead of answering."""
    try:
        return probe(), None
    # The probes import plug-ins and talk to drivers, which may raise anything; nothing is lost,
    # the caller of the safe form gets the error. `__reduce__` keeps what `args` drops, such as
    # the file name of an OSError.
    except Exception as error:  # noqa: BLE001
        return False, cast("Failure", error.__reduce__()[:2])


IS_MUSA, MUSA_FAILURE = _decide(_musa)
IS_HIP = torch.version.hip is not None
IS_NPU, NPU_FAILURE = _decide(_npu)


def is_musa() -> bool:
    """Whether this process runs on Moore Threads GPUs.

    Raises:
        Exception: what importing torchada raised, unless that was an ImportError.
    """
    if MUSA_FAILURE is not None:
        kind, args = MUSA_FAILURE
        raise kind(*args)
    return IS_MUSA


def is_hip() -> bool:
    """Whether this torch was built for AMD GPUs."""
    return IS_HIP


def is_npu() -> bool:
    """Whether this process runs on Ascend NPUs.

    Raises:
        RuntimeError: torch_npu has registered itself but sees no device.
        Exception: what `torch.npu.is_available()` raised.
    """
    if NPU_FAILURE is not None:
        kind, args = NPU_FAILURE
        raise kind(*args)
    return IS_NPU
