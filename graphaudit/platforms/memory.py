"""The memory of a device on which nothing was ever allocated, as torch's allocators tell it."""

from __future__ import annotations

from typing import Any, Final

_KINDS: Final = (
    "allocation",
    "segment",
    "active",
    "inactive_split",
    "allocated_bytes",
    "reserved_bytes",
    "active_bytes",
    "inactive_split_bytes",
    "requested_bytes",
)
_OVERSIZE: Final = ("oversize_allocations", "oversize_segments")
_POOLS: Final = ("all", "small_pool", "large_pool")
_COUNTS: Final = ("current", "peak", "allocated", "freed")
_NUMBERS: Final = (
    "num_alloc_retries",
    "num_ooms",
    "num_sync_all_streams",
    "num_device_alloc",
    "num_device_free",
    "max_split_size",
)


def statistics() -> dict[str, Any]:
    """Give the allocator's statistics, nested as C++ gives them."""
    nothing = {pool: dict.fromkeys(_COUNTS, 0) for pool in _POOLS}
    return {
        **dict.fromkeys(_KINDS, nothing),
        **dict.fromkeys(_OVERSIZE, nothing["all"]),
        **dict.fromkeys(_NUMBERS, 0),
    }


def flat_statistics() -> dict[str, int]:
    """Give them as `memory_stats()` does: `allocated_bytes.all.current`."""
    found: dict[str, int] = {}
    for name, value in statistics().items():
        found |= _flat(name, value)
    return found


def _flat(name: str, value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        return {name: value}
    found: dict[str, int] = {}
    for key, below in value.items():
        found |= _flat(f"{name}.{key}", below)
    return found
