"""The platform of this machine, and the state that every call of a factory starts from."""

from __future__ import annotations

import random
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from graphaudit._dynamo import torch_state
from graphaudit._target import ambient

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
    """Start a pass as if it were the first, and leave the process as it was found.

    Args:
        fake: Make fake tensors: no memory, no values, models of any size.
    """
    ambient.clear_caches()
    device = torch.accelerator.current_accelerator(check_available=True)
    with (
        ambient.kept(),
        torch_state.kept(),
        torch.device(device) if device else nullcontext(),
        FakeTensorMode(allow_non_fake_inputs=True) if fake else nullcontext(),
        torch_state.modes_kept(),
    ):
        seed()
        yield


def seed(number: int = 0) -> None:
    """Seed the generators of Python, torch, and of numpy where the target uses it."""
    random.seed(number)
    torch.manual_seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number)
