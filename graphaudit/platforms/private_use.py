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
from graphaudit.platforms.memory import flat_statistics
from graphaudit.platforms.ordinals import ordinal
from graphaudit.platforms.properties import Properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.platforms.devices import Device


def register(device_type: str, device: Device) -> ModuleType:
    """Register the device type, and give its module, which torch then has as `torch.<type>`."""
    module = device_module(device_type, device)
    _setup_privateuseone_for_python_backend(rename=device_type, backend_module=module)
    name = f"{device_type} {device.name}"
    accelerator.answer(torch.device(device_type), device, name, module.current_stream)
    return module


def device_module(device_type: str, device: Device) -> ModuleType:
    """Make `torch.musa` or `torch.npu`: queries of a device on which nothing is allocated."""
    name = f"{device_type} {device.name}"
    module = _DeviceModule(f"torch.{device_type}")
    module.__dict__["_simulated"] = name
    for function, answer in _functions(device, name).items():
        setattr(module, function, answer)
    vars(module).update(
        Stream=torch.Stream, Event=torch.Event, stream=_OnStream, device=_on_device(name)
    )
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


class _OnStream:
    """The context manager that selects a stream; nothing runs on any."""

    def __init__(self, _stream: object) -> None:
        """Take whatever names it."""

    def __enter__(self) -> None:
        """Select it."""

    def __exit__(self, *_error: object) -> None:
        """Leave it selected."""


def _on_device(name: str) -> type:
    """Make the context manager that selects a device: there is one."""

    class OnDevice(_OnStream):
        def __init__(self, device: object = None) -> None:
            ordinal(device, name)

    return OnDevice


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
        "synchronize": None,
        "empty_cache": None,
        "manual_seed": None,
        "manual_seed_all": None,
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "memory_reserved": 0,
        "max_memory_reserved": 0,
        "reset_peak_memory_stats": None,
        "reset_max_memory_allocated": None,
        "ipc_collect": None,
        "set_stream": None,
        "is_current_stream_capturing": False,
        "is_bf16_supported": True,
        "set_rng_state": None,
        "get_amp_supported_dtype": [torch.float16, torch.bfloat16],
    }

    def stream(_device: object = None) -> torch.Stream:
        return torch.Stream(stream_id=0, device_index=0, device_type=number)

    of_device: dict[str, Callable[[], Any]] = {
        "set_device": lambda: None,
        "get_device_properties": lambda: properties,
        "get_device_name": lambda: device.name,
        "mem_get_info": lambda: (device.total_memory, device.total_memory),
        "memory_stats": flat_statistics,
        "get_device_capability": lambda: (properties.major, properties.minor),
    }

    def asked(answer: Callable[[], Any]) -> Callable[..., Any]:
        def of(index: object = None) -> Any:
            ordinal(index, name)
            return answer()

        return unseen(of)

    return {
        **{function: constant(answer) for function, answer in constants.items()},
        **{function: asked(answer) for function, answer in of_device.items()},
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
