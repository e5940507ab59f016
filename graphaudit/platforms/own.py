"""What this machine is, with nothing simulated."""

from __future__ import annotations

import torch


def own_platform() -> str:
    """Name the platform: `cpu`, `cuda`, `hip`, or the accelerator's own name."""
    device = torch.accelerator.current_accelerator(check_available=True)
    if device is None:
        return "cpu"
    return "hip" if device.type == "cuda" and torch.version.hip else device.type
