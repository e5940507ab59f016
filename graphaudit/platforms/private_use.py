"""A vendor's device under the name it registers with torch: `musa`, `npu`.

torch keeps one slot for devices that it does not know itself, and lets Python fill it; so a process
can be only one of them.
"""

from __future__ import annotations

from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from graphaudit.platforms import accelerator, generators, native, pinned
from graphaudit.platforms.errors import NotSimulated, SimulationError
from graphaudit.platforms.streams import Streams
from graphaudit.platforms.vendor_functions import functions

if TYPE_CHECKING:
    from graphaudit.platforms.devices import Device


def register(device_type: str, device: Device) -> ModuleType:
    """Register the device type, and give its module, which torch then has as `torch.<type>`."""
    name = f"{device_type} {device.name}"
    number = native.type_number(device_type)
    streams = Streams(number)
    module = _DeviceModule(f"torch.{device_type}")
    module.__dict__["_simulated"] = name
    _setup_privateuseone_for_python_backend(rename=device_type, backend_module=module)
    accelerator.answer(device_type, device, name, streams)
    pinned.answer()
    with suppress(SimulationError):  # without a compiler it has no generators, and less of events
        native.register_guard(number)
        generators.answer(device_type)
        module.__dict__["default_generators"] = (torch.Generator(torch.device(device_type, 0)),)
    vars(module).update(functions(device, name, streams))
    return module


class _DeviceModule(ModuleType):
    """A module that says so when it has no answer."""

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        device = self.__dict__.get("_simulated", "")
        raise _Unanswered(f"not simulated: {self.__name__}.{attribute} on {device}")


class _Unanswered(NotSimulated, AttributeError):  # noqa: N818 - as its base
    """No answer, and to `hasattr` the same as not there."""


def stand_in(name: str, version: str) -> ModuleType:
    """Make a vendor's Python package, empty; whoever imports it gives it its spec."""
    module = ModuleType(name, f"A stand-in for {name}, for a simulated platform.")
    vars(module).update(__path__=[], __version__=version)
    return module
