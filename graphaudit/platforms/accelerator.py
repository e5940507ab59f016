"""Answers to what `torch.accelerator` asks of torch's C++ side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

if TYPE_CHECKING:
    from collections.abc import Callable


def answer(device: torch.device, current_stream: Callable[[], torch.Stream]) -> None:
    """Let `device`, of which there is one, be the accelerator of this process."""
    answers: dict[str, Callable[..., Any]] = {
        "getAccelerator": lambda: device,
        "getDeviceIndex": lambda: 0,
        "setDeviceIndex": lambda _index: None,
        "exchangeDevice": lambda _index: 0,
        "maybeExchangeDevice": lambda _index: 0,
        "getStream": lambda _index=0: current_stream(),
        "setStream": _set_stream,
        "synchronizeDevice": lambda _index=0: None,
        "emptyCache": lambda: None,
        "isAllocatorInitialized": lambda: False,
    }
    for function, given in answers.items():
        setattr(torch._C, f"_accelerator_{function}", given)
    # tensors of data are made on the processor first: there is no device to make them on
    FakeTensorMode.avoid_device_init = property(lambda _mode: True)


def none() -> None:
    """Let this process have no accelerator."""
    torch._C._accelerator_getAccelerator = lambda: None


def _set_stream(stream: torch.Stream) -> None:
    module = torch.get_device_module(stream.device)
    module.set_stream(stream)
