"""What `get_device_properties` answers: the published figures, and an error for each other."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from graphaudit.platforms.errors import NotSimulated

if TYPE_CHECKING:
    from graphaudit.platforms.devices import Device

# the attributes of torch's own class, in 2.14; `hasattr` of any other is False
_TORCHS: Final = frozenset(
    (
        *("L2_cache_size", "clock_rate", "gcnArchName", "is_integrated", "is_multi_gpu_board"),
        *("major", "max_threads_per_block", "max_threads_per_multi_processor"),
        *("memory_bus_width", "memory_clock_rate", "minor", "multi_processor_count", "name"),
        *("pci_bus_id", "pci_device_id", "pci_domain_id", "regs_per_multiprocessor"),
        *("shared_memory_per_block", "shared_memory_per_block_optin"),
        *("shared_memory_per_multiprocessor", "total_memory", "uuid", "warp_size"),
    )
)


class Properties:
    """The properties of a simulated device, under torch's names."""

    def __init__(self, device: Device, name: str) -> None:
        """Take what is published of `device`; `name` is how errors call it."""
        self._known = {key: value for key, value in asdict(device).items() if value is not None}
        self._device = name

    def __getattr__(self, name: str) -> Any:
        """Give a figure.

        Raises:
            NotSimulated: It is not published.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "gcnArchName" and "major" in self._known:  # on CUDA, torch gives the name
            return self._known.get(name, self._known["name"])
        if name in self._known:
            return self._known[name]
        if name not in _TORCHS:
            raise AttributeError(f"'_CudaDeviceProperties' has no attribute {name!r}")
        raise NotSimulated(f"not simulated: get_device_properties().{name} on {self._device}")

    def __repr__(self) -> str:
        """Show what is known, as torch does."""
        figures = ", ".join(f"{key}={value!r}" for key, value in self._known.items())
        return f"_CudaDeviceProperties({figures})"
