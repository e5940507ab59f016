"""Ascend without an NPU.

torch_npu brings the device and `torch.npu`, and torch imports it by itself (its entry point is in
`torch.backends`). Without it torch is a plain CPU build: no `torch.npu`, no tensors but the
processor's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import torch

from graphaudit.platforms import private_use

if TYPE_CHECKING:
    from types import ModuleType

    from graphaudit.platforms.devices import Device

DEVICE_TYPE: Final = "npu"
_TORCH_NPU: Final = "2.13.0"


def simulate(device: Device) -> None:
    """Make this process one with an NPU and torch_npu."""
    torch.version.cuda = torch.version.hip = None
    private_use.register(DEVICE_TYPE, device)


def vendor_module() -> ModuleType:
    """Give a stand-in for torch_npu."""
    return private_use.stand_in("torch_npu", _TORCH_NPU)
