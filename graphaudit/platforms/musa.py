"""Moore Threads without a GPU.

Its build of torch sets `torch.version.musa`, torch_musa brings `torch.musa`, and torchada is the
package that engines ask for to know where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import torch

from graphaudit.platforms import private_use

if TYPE_CHECKING:
    from types import ModuleType

    from graphaudit.platforms.devices import Device

DEVICE_TYPE: Final = "musa"
_RUNTIME: Final = "4.3.0"
_TORCHADA: Final = "0.1.40"


def simulate(device: Device) -> None:
    """Make this process one with a MUSA device."""
    torch.version.musa = _RUNTIME  # type: ignore[attr-defined]
    torch.version.cuda = torch.version.hip = None
    private_use.register(DEVICE_TYPE, device)


def vendor_module() -> ModuleType:
    """Give a stand-in for torchada."""
    return private_use.stand_in("torchada", _TORCHADA)
