"""Answers to what `torch.accelerator` asks of torch's C++ side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from graphaudit.platforms import memory, ordinals
from graphaudit.platforms.answers import checked, constant, refusing, unseen

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.platforms.devices import Device
    from graphaudit.platforms.streams import Streams

_OURS: Final = "_accelerator_"


def answer(device_type: str, device: Device, name: str, streams: Streams) -> None:
    """Let the only device of a type be the accelerator of this process.

    Args:
        device_type: torch's name of it.
        device: What is published of it.
        name: As errors call it.
        streams: Which of its streams is current.
    """
    refuse = refusing(name)
    for function in [key for key in vars(torch._C) if key.startswith(_OURS)]:
        setattr(torch._C, function, refuse(function))  # some of torch's own crash without a device
    for function, given in _answers(device_type, device, name, streams).items():
        setattr(torch._C, f"{_OURS}{function}", given)
    vars(torch._C)["_get_accelerator"] = constant(torch.device(device_type))
    # tensors of data are made on the processor first: there is no device to make them on
    type.__setattr__(FakeTensorMode, "avoid_device_init", property(lambda _mode: True))


def none() -> None:
    """Let this process have no accelerator."""
    vars(torch._C)["_accelerator_getAccelerator"] = constant(None)
    vars(torch._C)["_get_accelerator"] = constant(torch.device("cpu"))


def _answers(
    device_type: str, device: Device, name: str, streams: Streams
) -> dict[str, Callable[..., Any]]:
    only = ordinals.only(name)
    return {
        "getAccelerator": constant(torch.device(device_type)),
        "getDeviceIndex": constant(0),
        "setDeviceIndex": checked(only, lambda: None),
        "exchangeDevice": unseen(only),
        "maybeExchangeDevice": unseen(only),
        "getStream": checked(ordinals.stream_of, streams.current),
        "setStream": unseen(_set_stream),
        "synchronizeDevice": checked(only, lambda: None),
        "emptyCache": constant(None),
        "emptyHostCache": constant(None),
        "isAllocatorInitialized": constant(True),
        "getDeviceStats": checked(ordinals.memory_of, memory.nested),
        "resetPeakStats": checked(ordinals.memory_of, lambda: None),
        "resetAccumulatedStats": checked(ordinals.memory_of, lambda: None),
        "getMemoryInfo": checked(only, lambda: (device.total_memory, device.total_memory)),
    }


def _set_stream(stream: torch.Stream) -> None:
    module = torch.get_device_module(stream.device)
    module.set_stream(stream)
