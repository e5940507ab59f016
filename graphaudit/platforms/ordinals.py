"""The index of a device where there is one: each other is refused, in the words of the runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

_TORCHS_OWN: Final = ("cuda", "hip")


def index(device: Any) -> int:
    """Give the index that a device is named by; 0 where it has none."""
    if device is None or isinstance(device, int):
        return device or 0
    named = torch.device(device) if isinstance(device, str) else device
    return named.index or 0


def only(name: str) -> Callable[[int], int]:
    """Make the check of an index: 0 for the device, -1 for a negative one, which is none.

    Args:
        name: The device as errors call it, its platform first: `cuda NVIDIA H100 80GB HBM3`.
    """
    runtime = name.partition(" ")[0]
    kind = torch.AcceleratorError if runtime in _TORCHS_OWN else RuntimeError
    said = f"{runtime.upper()} error: invalid device ordinal"

    def check(index: int) -> int:
        if index > 0:
            raise kind(f"{said} ({index}; there is one {name})")
        return 0 if index == 0 else -1

    return check


def stream_of(index: int) -> None:
    """Refuse to give a stream of another device."""
    if index > 0:
        raise RuntimeError(f"Device index value {index} is out of index range [0, 1)")


def memory_of(index: int) -> None:
    """Refuse to ask the allocator about another device."""
    if index > 0:
        raise RuntimeError(f"Invalid device argument {index}: did you call init?")


def properties_of(index: int) -> None:
    """Refuse to tell what another device is."""
    if index != 0:
        raise AssertionError("Invalid device id")
