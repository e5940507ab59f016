"""Answers to what `torch.accelerator` asks of torch's C++ side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from graphaudit.platforms.answers import constant, unseen
from graphaudit.platforms.memory import statistics
from graphaudit.platforms.ordinals import ordinal

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.platforms.devices import Device


def answer(
    kind: torch.device, device: Device, name: str, current_stream: Callable[[], torch.Stream]
) -> None:
    """Let `kind`, of which there is one, be the accelerator of this process."""
    number = unseen(lambda index=0: ordinal(index, name))
    answers: dict[str, Callable[..., Any]] = {
        "getAccelerator": constant(kind),
        "getDeviceIndex": constant(0),
        "setDeviceIndex": unseen(lambda index: _selected(index, name)),
        "exchangeDevice": number,
        "maybeExchangeDevice": number,
        "getDeviceStats": unseen(lambda _index=0: statistics()),
        "getMemoryInfo": constant((device.total_memory, device.total_memory)),
        "resetAccumulatedStats": constant(None),
        "resetPeakStats": constant(None),
        "emptyHostCache": constant(None),
        "getStream": unseen(lambda _index=0: current_stream()),
        "setStream": unseen(_set_stream),
        "synchronizeDevice": constant(None),
        "emptyCache": constant(None),
        "isAllocatorInitialized": constant(False),
    }
    for function, given in answers.items():
        setattr(torch._C, f"_accelerator_{function}", given)
    vars(torch._C)["_get_accelerator"] = constant(kind)
    # tensors of data are made on the processor first: there is no device to make them on
    type.__setattr__(FakeTensorMode, "avoid_device_init", property(lambda _mode: True))


def none() -> None:
    """Let this process have no accelerator."""
    vars(torch._C)["_accelerator_getAccelerator"] = constant(None)
    vars(torch._C)["_get_accelerator"] = constant(torch.device("cpu"))


def _selected(index: int, name: str) -> None:
    ordinal(index, name)


def _set_stream(stream: torch.Stream) -> None:
    module = torch.get_device_module(stream.device)
    module.set_stream(stream)
