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
from graphaudit.platforms.errors import NotSimulated
from graphaudit.platforms.properties import Properties

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

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
    for function in _functions(device_type, device, name):
        setattr(module, function.__name__, function)
    module.Stream, module.Event = torch.Stream, torch.Event
    module.device = _OnDevice
    return module


class _DeviceModule(ModuleType):
    """A module that says so when it has no answer."""

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise _Unanswered(f"{self.__name__}.{attribute}", self.__dict__.get("_simulated", ""))


class _Unanswered(NotSimulated, AttributeError):
    """No answer, and to `hasattr` the same as not there."""


class _OnDevice:
    """The context manager that selects a device: there is one."""

    def __init__(self, _device: object = None) -> None:
        """Take whatever names the device."""

    def __enter__(self) -> None:
        """Select it."""

    def __exit__(self, *_error: object) -> None:
        """Leave it selected."""


def _functions(device_type: str, device: Device, name: str) -> list[Any]:
    properties = Properties(device, name)

    def is_available() -> bool:
        return True

    def is_initialized() -> bool:
        return True

    def init() -> None:
        pass

    def _lazy_init() -> None:
        pass

    def _is_in_bad_fork() -> bool:
        return False

    def device_count() -> int:
        return 1

    def current_device() -> int:
        return 0

    def set_device(_device: object) -> None:
        pass

    def synchronize(_device: object = None) -> None:
        pass

    def empty_cache() -> None:
        pass

    def manual_seed(_seed: int) -> None:
        pass

    def manual_seed_all(_seed: int) -> None:
        pass

    def get_device_properties(_device: object = None) -> Properties:
        return properties

    def get_device_name(_device: object = None) -> str:
        return device.name

    def get_device_capability(_device: object = None) -> tuple[int, int]:
        return properties.major, properties.minor

    def mem_get_info(_device: object = None) -> tuple[int, int]:
        return device.total_memory, device.total_memory

    def memory_allocated(_device: object = None) -> int:
        return 0

    def max_memory_allocated(_device: object = None) -> int:
        return 0

    def memory_reserved(_device: object = None) -> int:
        return 0

    def current_stream(_device: object = None) -> torch.Stream:
        return torch.Stream(stream_id=0, device_index=0, device_type=_number(device_type))

    def default_stream(_device: object = None) -> torch.Stream:
        return current_stream()

    def set_stream(_stream: object) -> None:
        pass

    def is_current_stream_capturing() -> bool:
        return False

    def is_bf16_supported() -> bool:
        return True

    def get_rng_state(_device: object = None) -> torch.Tensor:
        return torch.get_rng_state()

    def set_rng_state(_state: torch.Tensor, _device: object = None) -> None:
        pass

    def get_amp_supported_dtype() -> list[torch.dtype]:
        return [torch.float16, torch.bfloat16]

    return [value for value in locals().values() if getattr(value, "__module__", "") == __name__]


def _number(device_type: str) -> int:
    """Give `c10::DeviceType` of a device type."""
    kind = torch._C._autograd.DeviceType.PrivateUse1
    return int(getattr(kind, "value", kind))


def stand_in(name: str, version: str) -> ModuleType:
    """Make a vendor's Python package: importable, with a spec, empty otherwise."""
    module = ModuleType(name, f"A stand-in for {name}, for a simulated platform.")
    module.__spec__ = _spec(name)
    module.__loader__ = module.__spec__.loader
    module.__path__ = []
    module.__version__ = version
    return module


def _spec(name: str) -> ModuleSpec:
    from importlib.machinery import BuiltinImporter, ModuleSpec

    return ModuleSpec(name, BuiltinImporter, origin="graphaudit", is_package=True)
