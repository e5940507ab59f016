"""Answers to what `torch.accelerator` asks of torch's C++ side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from graphaudit.platforms.answers import constant, unseen

if TYPE_CHECKING:
    from collections.abc import Callable


def answer(device: torch.device, current_stream: Callable[[], torch.Stream]) -> None:
    """Let `device`, of which there is one, be the accelerator of this process."""
    answers: dict[str, Callable[..., Any]] = {
        "getAccelerator": constant(device),
        "getDeviceIndex": constant(0),
        "setDeviceIndex": constant(None),
        "exchangeDevice": constant(0),
        "maybeExchangeDevice": constant(0),
        "getStream": unseen(lambda _index=0: current_stream()),
        "setStream": unseen(_set_stream),
        "synchronizeDevice": constant(None),
        "emptyCache": constant(None),
        "isAllocatorInitialized": constant(False),
    }
    for function, given in answers.items():
        setattr(torch._C, f"_accelerator_{function}", given)
    vars(torch._C)["_get_accelerator"] = constant(device)
    # tensors of data are made on the processor first: there is no device to make them on
    type.__setattr__(FakeTensorMode, "avoid_device_init", property(lambda _mode: True))


def none() -> None:
    """Let this process have no accelerator."""
    vars(torch._C)["_accelerator_getAccelerator"] = constant(None)
    vars(torch._C)["_get_accelerator"] = constant(torch.device("cpu"))


def _set_stream(stream: torch.Stream) -> None:
    module = torch.get_device_module(stream.device)
    module.set_stream(stream)
