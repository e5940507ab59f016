"""What a caching allocator tells of a device on which nothing was ever allocated."""

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


def nested() -> dict[str, Any]:
    """Give its statistics by kind, pool and count, as torch's C++ side does."""
    nothing = {pool: dict.fromkeys(_COUNTS, 0) for pool in _POOLS}
    return {
        **dict.fromkeys(_KINDS, nothing),
        **dict.fromkeys(_OVERSIZE, nothing["all"]),
        **dict.fromkeys(_NUMBERS, 0),
    }


def flat() -> dict[str, int]:
    """Give the same under names such as `allocated_bytes.all.current`, as `memory_stats` does."""
    return dict(sorted(_flattened("", nested())))


def _flattened(prefix: str, value: Any) -> list[tuple[str, int]]:
    if not isinstance(value, dict):
        return [(prefix, value)]
    dot = "." if prefix else ""
    return [
        found
        for name, inner in value.items()
        for found in _flattened(f"{prefix}{dot}{name}", inner)
    ]
