"""The platform of this machine, and the state that every call of a factory starts from."""

from __future__ import annotations

import random
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

if TYPE_CHECKING:
    from collections.abc import Iterator


def platform() -> str:
    """Name the platform: `cpu`, `cuda`, `hip`, or the accelerator's own name."""
    device = torch.accelerator.current_accelerator(check_available=True)
    if device is None:
        return "cpu"
    return "hip" if device.type == "cuda" and torch.version.hip else device.type


@contextmanager
def prepared(*, fake: bool) -> Iterator[None]:
    """Fix the seeds, set the default device, and hold a fake mode if one is asked for.

    Args:
        fake: Make fake tensors: no memory, no values, models of any size.
    """
    seed()
    device = torch.accelerator.current_accelerator(check_available=True)
    with torch.device(device) if device else nullcontext():
        if not fake:
            yield
            return
        with FakeTensorMode(allow_non_fake_inputs=True):
            yield


def seed() -> None:
    """Seed the generators of Python, torch, and of numpy where the target uses it."""
    random.seed(0)
    torch.manual_seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)
