"""What `torch.musa` and `torch.npu` answer: queries of a device on which nothing is allocated.

The names are those that torch_musa and torch_npu publish, as far as engines use them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from graphaudit.platforms import memory, ordinals, selected
from graphaudit.platforms.answers import constant, unseen
from graphaudit.platforms.properties import Properties

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.platforms.devices import Device
    from graphaudit.platforms.streams import Streams


def functions(device: Device, name: str, streams: Streams) -> dict[str, Any]:
    """Give the functions and classes of the module.

    Args:
        device: What is published of it.
        name: As errors call it.
        streams: Which of its streams is current.
    """
    return {
        **_of_the_process(),
        **_of_a_device(device, name),
        **_of_memory(device, name),
        **_of_streams(streams),
        **_of_random_numbers(),
        "device": selected.of_device(name),
    }


def _of_the_process() -> dict[str, Any]:
    answers: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "init": None,
        "_lazy_init": None,
        "_is_in_bad_fork": False,
        "device_count": 1,
        "current_device": 0,
        "is_current_stream_capturing": False,
        "is_bf16_supported": True,
        "get_amp_supported_dtype": [torch.float16, torch.bfloat16],
        "ipc_collect": None,
    }
    return {function: constant(answer) for function, answer in answers.items()}


def _of_a_device(device: Device, name: str) -> dict[str, Any]:
    properties = Properties(device, name)
    only = ordinals.only(name)
    return {
        "set_device": _asking(only, lambda: None),
        "synchronize": _asking(only, lambda: None),
        "get_device_properties": _asking(ordinals.properties_of, lambda: properties),
        "get_device_name": _asking(ordinals.properties_of, lambda: properties.name),
        "get_device_capability": _asking(
            ordinals.properties_of, lambda: (properties.major, properties.minor)
        ),
    }


def _of_memory(device: Device, name: str) -> dict[str, Any]:
    def allocator(answer: Callable[[], Any]) -> Callable[..., Any]:
        return _asking(ordinals.memory_of, answer)

    nothing = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")
    resets = (
        *("reset_peak_memory_stats", "reset_accumulated_memory_stats"),
        "reset_max_memory_allocated",
    )
    return {
        "empty_cache": constant(None),
        "set_per_process_memory_fraction": constant(None),
        "mem_get_info": _asking(
            ordinals.only(name), lambda: (device.total_memory, device.total_memory)
        ),
        "memory_stats": allocator(memory.flat),
        "memory_stats_as_nested_dict": allocator(memory.nested),
        **{function: allocator(lambda: 0) for function in nothing},
        **{function: allocator(lambda: None) for function in resets},
    }


def _of_streams(streams: Streams) -> dict[str, Any]:
    return {
        "Stream": torch.Stream,
        "Event": torch.Event,
        "current_stream": _asking(ordinals.stream_of, streams.current),
        "default_stream": _asking(ordinals.stream_of, streams.default),
        "set_stream": unseen(streams.select),
        "stream": selected.of_streams(streams),
    }


def _of_random_numbers() -> dict[str, Any]:
    nothing = ("manual_seed", "manual_seed_all", "seed", "seed_all", "set_rng_state")
    return {
        **{function: constant(None) for function in (*nothing, "set_rng_state_all")},
        "initial_seed": unseen(torch.initial_seed),
        "get_rng_state": unseen(lambda _device=None: torch.get_rng_state()),
        "get_rng_state_all": unseen(lambda: [torch.get_rng_state()]),
    }


def _asking(check: Callable[[int], object], answer: Callable[[], Any]) -> Callable[..., Any]:
    """Make a function that takes whatever names a device, refuses some, and answers."""

    def ask(device: Any = None) -> Any:
        check(ordinals.index(device))
        return answer()

    return unseen(ask)
