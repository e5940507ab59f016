"""ROCm without a GPU: torch calls the device `cuda` and has `torch.version.hip`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.platforms import cuda

if TYPE_CHECKING:
    from graphaudit.platforms.devices import Device

DEVICE_TYPE: Final = cuda.DEVICE_TYPE
_VERSION: Final = "7.0.51831"  # of ROCm's HIP, as torch's wheels for ROCm 7.0 say it


def simulate(device: Device) -> None:
    """Make this process one with a ROCm device.

    Raises:
        SimulationError: A small library cannot be built here.
    """
    cuda.simulate_hip(device, _VERSION)
