"""There is one device: another index is refused wherever it is named, and in the same words."""

from __future__ import annotations

from typing import Final

import pytest

from tests.platforms.in_process import answers

_ASKED: Final = """
module = torch.get_device_module(device)
ask("set_device", module.set_device, 1)
ask("device", lambda: module.device(1).__enter__())
ask("synchronize", module.synchronize, 1)
ask("mem_get_info", module.mem_get_info, 1)
ask("named", module.mem_get_info, f"{device.type}:1")
ask("current_stream", module.current_stream, 1)
ask("default_stream", module.default_stream, 1)
ask("memory_allocated", module.memory_allocated, 1)
ask("memory_stats", module.memory_stats, 1)
ask("reset_peak_memory_stats", module.reset_peak_memory_stats, 1)
ask("get_device_name", module.get_device_name, 1)
ask("get_device_properties", module.get_device_properties, 1)
accelerator = torch.accelerator
ask("accelerator set_device_index", accelerator.set_device_index, 1)
ask("accelerator device_index", lambda: accelerator.device_index(1).__enter__())
ask("accelerator synchronize", accelerator.synchronize, 1)
ask("accelerator get_memory_info", accelerator.get_memory_info, 1)
ask("accelerator current_stream", accelerator.current_stream, 1)
ask("accelerator memory_stats", accelerator.memory_stats, 1)
"""
_NO_STREAM: Final = {"current_stream", "default_stream", "accelerator current_stream"}
_NO_MEMORY: Final = {
    *("memory_allocated", "memory_stats", "reset_peak_memory_stats"),
    "accelerator memory_stats",
}
_NO_PROPERTIES: Final = {"get_device_name", "get_device_properties"}
_NONE_SUCH: Final = {
    "cuda": "AcceleratorError: CUDA error: invalid device ordinal (1; there is one cuda NVIDIA",
    "hip": "AcceleratorError: HIP error: invalid device ordinal (1; there is one hip AMD",
    "musa": "RuntimeError: MUSA error: invalid device ordinal (1; there is one musa MTT",
    "npu": "RuntimeError: NPU error: invalid device ordinal (1; there is one npu Ascend",
}


@pytest.mark.parametrize("platform", _NONE_SUCH)
def test_a_second_device_is_refused(platform: str) -> None:
    """By the runtime, the allocator, the streams and the properties, as an H200 was seen to."""
    found = answers(platform, _ASKED)
    expected = dict.fromkeys(found, _NONE_SUCH[platform])
    expected |= dict.fromkeys(
        _NO_STREAM, "RuntimeError: Device index value 1 is out of index range [0, 1)"
    )
    expected |= dict.fromkeys(
        _NO_MEMORY, "RuntimeError: Invalid device argument 1: did you call init?"
    )
    expected |= dict.fromkeys(_NO_PROPERTIES, "AssertionError: Invalid device id")
    assert len(found) == 18
    assert {
        query: answer for query, answer in found.items() if not answer.startswith(expected[query])
    } == {}


_ITSELF: Final = """
module = torch.get_device_module(device)
ask("none", module.set_device, -1)
ask("index", module.set_device, 0)
ask("name", module.set_device, f"{device.type}:0")
ask("accelerator", torch.accelerator.set_device_index, 0)
ask("device", lambda: module.device(0).__enter__())
ask("selected", module.current_device)
ask("memory", lambda: torch.accelerator.get_memory_info(0) == module.mem_get_info(device))
ask("allocated", torch.accelerator.memory_allocated)
ask("cache", torch.accelerator.empty_host_cache)
"""


@pytest.mark.parametrize("platform", _NONE_SUCH)
def test_the_device_itself_is_there(platform: str) -> None:
    """By its index and by its name; a negative index is no device, and no error."""
    assert answers(platform, _ITSELF) == {
        **dict.fromkeys(("none", "index", "name", "accelerator", "device", "cache")),
        "selected": 0,
        "memory": True,
        "allocated": 0,
    }
