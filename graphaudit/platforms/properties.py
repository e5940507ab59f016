"""What `get_device_properties` answers: the published figures, and an error for each other."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from graphaudit.platforms.errors import NotSimulated

if TYPE_CHECKING:
    from graphaudit.platforms.devices import Device


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
        if name in self._known:
            return self._known[name]
        raise NotSimulated(f"not simulated: get_device_properties().{name} on {self._device}")

    def __repr__(self) -> str:
        """Show what is known, as torch does."""
        figures = ", ".join(f"{key}={value!r}" for key, value in self._known.items())
        return f"_CudaDeviceProperties({figures})"
