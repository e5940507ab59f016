"""Recognised by what torch says where a build or a machine lacks the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA057"


def device_absent(found: Break) -> bool:
    """A device is needed that this machine does not have.

    Why: The code makes tensors on an accelerator, or asks it something, and torch here has none;
        eager code fails in the same way.

    Fix: Trace on a simulated platform (`--platform cuda`) or on a machine with the device. In an
        `audit_*` factory make tensors without naming a device.

    Bad:
        def f(x):
            return x.cuda() + 1

    Good:
        def f(x):
            return x + 1

    Dynamo:
        GB4315 RuntimeError when making fake tensor call
        TorchRuntimeError
        AssertionError
    """
    return says(
        found,
        "Torch not compiled with CUDA enabled",
        "PyTorch is not linked with support for",
        "Tried to instantiate dummy base class",
        "Accelerator expected",
        "module 'torch._C' has no attribute '_cuda_",
        "No CUDA GPUs are available",
        "Found no NVIDIA driver",
        "accelerator device when none is available",
        "NVTX functions not installed",
    )
