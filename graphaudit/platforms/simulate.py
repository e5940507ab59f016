"""One door to the platforms: become one of them, for the rest of the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.platforms import cpu, cuda, current, devices, hip, musa, npu
from graphaudit.platforms.current import Simulation
from graphaudit.platforms.errors import SimulationError
from graphaudit.platforms.names import DEVICES, SIMULATED

if TYPE_CHECKING:
    from types import ModuleType


def simulate(name: str, device: str | None = None, *, vendor: bool = True) -> Simulation:
    """Become a platform. To be called after torch is imported and before Dynamo is; once.

    `current` knows of it from then on.

    Args:
        name: Of the platform.
        device: One of the platform's `DEVICES`; the first where none is named.
        vendor: Whether the vendor's package is there; without torch_npu an NPU cannot be used.

    Raises:
        SimulationError: There is no such platform or device, or it cannot be simulated here.
    """
    made = _simulated(name, device, vendor=vendor)
    current.become(made)
    return made


def _simulated(name: str, device: str | None, *, vendor: bool) -> Simulation:
    if name not in SIMULATED:
        raise SimulationError(f"no platform {name!r}: known are {', '.join(SIMULATED)}")
    if name == "cpu" or (name == "npu" and not vendor):
        cpu.simulate()
        return Simulation(platform=name, device_type=cpu.DEVICE_TYPE, device="")
    chosen = device or DEVICES[name][0]
    if chosen not in DEVICES[name]:
        raise SimulationError(
            f"{name} has no device {chosen!r}: known are {', '.join(DEVICES[name])}"
        )
    platform = {"cuda": cuda, "hip": hip, "musa": musa, "npu": npu}[name]
    platform.simulate(devices.NAMED[chosen]())
    return Simulation(platform=name, device_type=platform.DEVICE_TYPE, device=chosen)


def vendor_modules(platform: str) -> tuple[ModuleType, ...]:
    """Give stand-ins for the Python modules that the platform's vendor brings, not imported yet."""
    makers = {"musa": musa.vendor_module, "npu": npu.vendor_module}
    return (makers[platform](),) if platform in makers else ()
