"""`torch.musa` and `torch.npu`, asked as engines ask."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.platforms.in_process import answers

_QUERIES: Final = """
module = torch.get_device_module(device)
for name in ("is_available", "device_count", "current_device", "is_bf16_supported",
             "memory_allocated", "max_memory_allocated", "memory_reserved",
             "max_memory_reserved", "reset_peak_memory_stats", "empty_cache", "synchronize",
             "is_current_stream_capturing"):
    ask(name, getattr(module, name))
ask("stats", lambda: module.memory_stats()["allocated_bytes.all.current"])
ask("nested", lambda: module.memory_stats_as_nested_dict()["reserved_bytes"]["all"]["peak"])
ask("seeded", lambda: [module.manual_seed(1), module.manual_seed_all(1)])
ask("random state", lambda: module.set_rng_state(module.get_rng_state()))
ask("generator", lambda: str(module.default_generators[0].device))

def streams():
    stream, before = module.Stream(), module.current_stream()
    other = torch.Stream(stream_id=7, device_index=0, device_type=before.device_type)
    with module.stream(other):
        inside = module.current_stream() == other
    with module.stream(None):
        pass
    stream.wait_stream(module.current_stream())
    event = module.Event()
    event.record(stream)
    stream.wait_event(event)
    event.synchronize()
    return [inside, module.current_stream() == before == module.default_stream(),
            isinstance(before, module.Stream), event.query(), stream.query()]

ask("streams", streams)

def selected():
    before = module.current_stream()
    module.set_stream(torch.Stream(stream_id=7, device_index=0, device_type=before.device_type))
    torch.accelerator.set_stream(before)
    return module.current_stream() == before

ask("selected", selected)
"""
_NOTHING: Final = dict.fromkeys(
    ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"), 0
)


@pytest.fixture(scope="module", params=["musa", "npu"])
def vendor(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """Ask one of them everything."""
    return request.param, answers(request.param, _QUERIES)


def test_queries_have_the_answers_of_an_idle_device(vendor: tuple[str, dict[str, Any]]) -> None:
    """The names that torch_musa and torch_npu publish."""
    platform, found = vendor
    assert found == {
        "is_available": True,
        "device_count": 1,
        "current_device": 0,
        "is_bf16_supported": True,
        "is_current_stream_capturing": False,
        **_NOTHING,
        "reset_peak_memory_stats": None,
        "empty_cache": None,
        "synchronize": None,
        "stats": 0,
        "nested": 0,
        "seeded": [None, None],
        "random state": None,
        "generator": f"{platform}:0",
        "streams": [True] * 5,
        "selected": True,
    }
