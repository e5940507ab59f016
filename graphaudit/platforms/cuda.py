"""CUDA without a GPU: answers to torch's own functions below `torch.cuda`.

`torch.cuda`'s Python functions stay as they are, for Dynamo's rules go by these very objects; what
they call in `torch._C` answers for one device on which nothing is allocated. It has to be in place
before Dynamo is imported: its device interfaces look at `torch.cuda` once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

import torch

from graphaudit.platforms import accelerator, generators, memory, native, ordinals, pinned
from graphaudit.platforms.answers import checked, constant, refusing, unseen
from graphaudit.platforms.cuda_streams import NUMBER, CudaEventBase, CudaGraph, CudaStreamBase
from graphaudit.platforms.errors import NotSimulated
from graphaudit.platforms.properties import Properties
from graphaudit.platforms.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.platforms.devices import Device

DEVICE_TYPE: Final = "cuda"
_RUNTIME: Final = "13.0"
_RUNTIME_NUMBER: Final = 13000


def simulate(device: Device) -> None:
    """Make this process one with a CUDA device.

    Raises:
        SimulationError: A small library cannot be built here.
    """
    _simulate(device, f"cuda {device.name}", cuda=_RUNTIME, hip=None)


def simulate_hip(device: Device, version: str) -> None:
    """Make this process one with a ROCm device, which torch calls `cuda` as well.

    Raises:
        SimulationError: A small library cannot be built here.
    """
    _simulate(device, f"hip {device.name}", cuda=None, hip=version)


def _simulate(device: Device, name: str, *, cuda: str | None, hip: str | None) -> None:
    native.register_guard(NUMBER)
    torch.version.cuda, torch.version.hip = cuda, hip
    torch._C._has_cuda = True
    streams = Streams(NUMBER)
    refuse = refusing(name)
    for function in [key for key in vars(torch._C) if key.startswith("_cuda_")]:
        setattr(torch._C, function, refuse(function))
    for function, answer in _answers(device, name, streams).items():
        setattr(torch._C, f"_cuda_{function}", answer)
    vars(torch._C)["__getattr__"] = _missing(refuse)
    generators.answer(DEVICE_TYPE)
    pinned.answer()
    _patch_module(device, name)
    accelerator.answer(DEVICE_TYPE, device, name, streams)


def _patch_module(device: Device, name: str) -> None:
    """Put in place what `torch.cuda` took from `torch._C` when it was imported."""
    vars(torch._C).update(
        _CudaStreamBase=CudaStreamBase,
        _CudaEventBase=CudaEventBase,
        _CUDAGraph=CudaGraph.on(name),
        _CudaDeviceProperties=Properties,
        _graph_pool_handle=constant((0, 1)),
        _host_emptyCache=constant(None),
    )
    for module in (torch.cuda.streams, torch.cuda.graphs):
        importlib.reload(module)
        for public in module.__dict__.keys() & torch.cuda.__dict__.keys():
            if getattr(module.__dict__[public], "__module__", None) == module.__name__:
                setattr(torch.cuda, public, module.__dict__[public])
    given = {
        "_CudaDeviceProperties": Properties,
        "_cudart": _Runtime(device, name),
        "_exchange_device": torch._C._cuda_exchangeDevice,
        "_maybe_exchange_device": torch._C._cuda_maybeExchangeDevice,
        "_get_device_properties": constant(Properties(device, name)),
        "default_generators": (torch.Generator(torch.device(DEVICE_TYPE, 0)),),
        "_cached_device_count": 1,
        "_initialized": True,
        "_queued_calls": [],
    }
    for attribute, value in given.items():
        setattr(torch.cuda, attribute, value)


def _answers(device: Device, name: str, streams: Streams) -> dict[str, Callable[..., Any]]:
    """Give what stands in `torch._C`, without `_cuda_` in front."""
    constants: dict[str, Any] = {
        "getDeviceCount": 1,
        "getDevice": 0,
        "init": None,
        "synchronize": None,
        "emptyCache": None,
        "ipc_collect": None,
        "setMemoryFraction": None,
        "getMemoryFraction": 1.0,
        "getAllocatorBackend": "native",
        "getArchFlags": " ".join(device.arch_list),
        "getCompiledVersion": _RUNTIME_NUMBER,
        "hasPrimaryContext": True,
        "isInBadFork": False,
        "isCurrentStreamCapturing": False,
        "canDeviceAccessPeer": False,
        "get_sync_debug_mode": 0,
        "set_sync_debug_mode": None,
        "clearCublasWorkspaces": None,
        "cudaCachingAllocator_is_enabled": True,
        "isHistoryEnabled": False,
    }
    only = ordinals.only(name)
    asked: dict[str, Callable[..., Any]] = {
        "setDevice": unseen(only),
        "exchangeDevice": unseen(only),
        "maybeExchangeDevice": unseen(only),
        "getCurrentStream": checked(ordinals.stream_of, streams.current_ids),
        "getDefaultStream": checked(ordinals.stream_of, streams.default_ids),
        "getCurrentRawStream": checked(ordinals.stream_of, lambda: 0),
        "setStream": unseen(streams.set_current),
        "memoryStats": checked(ordinals.memory_of, memory.nested),
        "resetPeakMemoryStats": checked(ordinals.memory_of, lambda: None),
        "resetAccumulatedMemoryStats": checked(ordinals.memory_of, lambda: None),
    }
    return {**{function: constant(answer) for function, answer in constants.items()}, **asked}


def _missing(refuse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Give the `__getattr__` of `torch._C`: each CUDA function is there, and some cannot answer."""

    def find(attribute: str) -> Any:
        if not attribute.startswith("_cuda_"):
            raise AttributeError(f"module 'torch._C' has no attribute {attribute!r}")
        return refuse(attribute)

    return find


class _Runtime:
    """What `torch.cuda.cudart()` gives: the memory, and nothing else."""

    def __init__(self, device: Device, name: str) -> None:
        self._device = device
        self._name = name
        self._only = ordinals.only(name)

    def cudaMemGetInfo(self, index: int) -> tuple[int, int]:  # noqa: N802 - the runtime's name
        """Give the bytes that are free, and all of them: nothing is allocated."""
        self._only(index)
        return self._device.total_memory, self._device.total_memory

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotSimulated(f"not simulated: torch.cuda.cudart().{name} on {self._name}")
