"""Recognised by the module of the skipped function, or the name of the one that gave no tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import in_context, is_type, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA058"

_MODULES: Final = (
    "torch.cuda",
    "torch.xpu",
    "torch.mps",
    "torch.npu",
    "torch.musa",
    "torch.accelerator",
)
_FUNCTIONS: Final = (
    "device_count",
    "is_available",
    "is_bf16_supported",
    "memory_allocated",
    "memory_reserved",
    "max_memory_allocated",
    "get_device_name",
    "get_device_capability",
    "get_device_properties",
    "current_device",
    "current_stream",
    "is_current_stream_capturing",
    "mem_get_info",
    "get_num_threads",
)


def device_query(found: Break) -> bool:
    """The device or the build is asked inside compiled code.

    Why: `{callee}` gives a number or an object of the machine, not a tensor, and Dynamo has no
        rule to compute it while tracing.

    Fix: Ask once at import and keep the answer in a module constant (`DEVICE_COUNT =
        torch.cuda.device_count()`); pass streams and events in from outside.

    Bad:
        import torch

        def f(x):
            return x * torch.cuda.device_count()

    Good:
        import torch

        DEVICE_COUNT = torch.cuda.device_count()

        def f(x):
            return x * DEVICE_COUNT

    Dynamo:
        GB0208 torch.* op returned non-Tensor
        GB0007 Attempted to call function marked as skipped
        GB0249 bad device argument to torch.get_device_module
        GB0285 unsupported arguments to torch.accelerator.current_stream
        GB0248 improper torch.get_device_module arguments
        GB0146 Unsupported event method

    Notes: `torch.cuda.is_available()`, `torch.version.*`, `hasattr(torch, "xpu")` and
        `torch.accelerator.is_available()` are traced. `torch.cpu.is_available()` is not.
        `torch.mps.is_available()` and `torch.backends.mps.is_available()` are traced from torch
        2.14 on.
    """
    return (
        skips_from(found, *_MODULES)
        or (skips_from(found, "torch", "torch._C") and in_context(found, "_cuda_", "num_threads"))
        or is_type(
            found,
            "bad device argument to torch.accelerator.current_stream",
            "bad device argument to torch.get_device_module",
            "unsupported arguments to torch.accelerator.current_stream",
            "improper torch.get_device_module arguments",
            "Unsupported event method",
        )
        or (
            in_context(found, "target: <")
            and in_context(found, *(f"function {name}" for name in _FUNCTIONS))
        )
    )
