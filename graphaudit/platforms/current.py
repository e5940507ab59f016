"""What this process is: on the machine's own platform, or on one that is simulated."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """A platform that this machine does not have."""

    platform: str
    device_type: str  # torch's name: "cpu", "cuda", "musa", "npu"
    device: str  # "H100"; "" for cpu


_simulation: Simulation | None = None


def become(simulation: Simulation) -> None:
    """Be on a simulated platform for the rest of the process."""
    global _simulation
    _simulation = simulation


def simulation() -> Simulation | None:
    """Give what is simulated; None on the machine's own platform."""
    return _simulation


def platform() -> str:
    """Name the platform: `cpu`, `cuda`, `hip`, or the accelerator's own name."""
    if _simulation is not None:
        return _simulation.platform
    device = torch.accelerator.current_accelerator(check_available=True)
    if device is None:
        return "cpu"
    return "hip" if device.type == "cuda" and torch.version.hip else device.type
