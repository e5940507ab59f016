"""A vendor's device under the name it registers with torch: `musa`, `npu`.

torch keeps one slot for devices that it does not know itself, and lets Python fill it; so a process
can be only one of them.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from graphaudit.platforms import accelerator
from graphaudit.platforms.answers import constant, unseen
from graphaudit.platforms.errors import NotSimulated
from graphaudit.platforms.properties import Properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.platforms.devices import Device


def register(device_type: str, device: Device) -> ModuleType:
    """Register the device type, and give its module, which torch then has as `torch.<type>`."""
    module = device_module(device_type, device)
    _setup_privateuseone_for_python_backend(rename=device_type, backend_module=module)
    accelerator.answer(torch.device(device_type), module.current_stream)
    return module


def device_module(device_type: str, device: Device) -> ModuleType:
    """Make `torch.musa` or `torch.npu`: queries of a device on which nothing is allocated."""
    name = f"{device_type} {device.name}"
    module = _DeviceModule(f"torch.{device_type}")
    module.__dict__["_simulated"] = name
    for function, answer in _functions(device, name).items():
        setattr(module, function, answer)
    vars(module).update(Stream=torch.Stream, Event=torch.Event, device=_OnDevice)
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


class _OnDevice:
    """The context manager that selects a device: there is one."""

    def __init__(self, _device: object = None) -> None:
        """Take whatever names the device."""

    def __enter__(self) -> None:
        """Select it."""

    def __exit__(self, *_error: object) -> None:
        """Leave it selected."""


def _functions(device: Device, name: str) -> dict[str, Callable[..., Any]]:
    properties = Properties(device, name)
    number = _number()
    constants: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "init": None,
        "_lazy_init": None,
        "_is_in_bad_fork": False,
        "device_count": 1,
        "current_device": 0,
        "set_device": None,
        "synchronize": None,
        "empty_cache": None,
        "manual_seed": None,
        "manual_seed_all": None,
        "get_device_properties": properties,
        "get_device_name": device.name,
        "mem_get_info": (device.total_memory, device.total_memory),
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "memory_reserved": 0,
        "set_stream": None,
        "is_current_stream_capturing": False,
        "is_bf16_supported": True,
        "set_rng_state": None,
        "get_amp_supported_dtype": [torch.float16, torch.bfloat16],
    }

    def stream(_device: object = None) -> torch.Stream:
        return torch.Stream(stream_id=0, device_index=0, device_type=number)

    return {
        **{function: constant(answer) for function, answer in constants.items()},
        "get_device_capability": unseen(lambda _device=None: (properties.major, properties.minor)),
        "current_stream": unseen(stream),
        "default_stream": unseen(stream),
        "get_rng_state": unseen(lambda _device=None: torch.get_rng_state()),
    }


def _number() -> int:
    """Give the number of the slot in `c10::DeviceType`."""
    kind: Any = torch._C._autograd.DeviceType.PrivateUse1
    return int(getattr(kind, "value", kind))


def stand_in(name: str, version: str) -> ModuleType:
    """Make a vendor's Python package, empty; whoever imports it gives it its spec."""
    module = ModuleType(name, f"A stand-in for {name}, for a simulated platform.")
    vars(module).update(__path__=[], __version__=version)
    return module
