"""Which stream of a simulated device is the current one."""

from __future__ import annotations

import torch

Ids = tuple[int, int, int]  # of the stream, of its device, and of the device's type


class Streams:
    """Which stream is the current one."""

    def __init__(self, device_type: int) -> None:
        """Start with the default stream of a device's type, by its number in `c10::DeviceType`."""
        self._default = self._current = (0, 0, device_type)

    def current_ids(self) -> Ids:
        """Give id, device index and device type of the current stream."""
        return self._current

    def default_ids(self) -> Ids:
        """Give those of the default stream."""
        return self._default

    def set_current(self, stream_id: int, device_index: int, device_type: int) -> None:
        """Make another one the current stream."""
        self._current = (stream_id, device_index, device_type)

    def select(self, stream: torch.Stream) -> None:
        """Make the stream of an object the current one."""
        self.set_current(stream.stream_id, stream.device_index, stream.device_type)

    def current(self) -> torch.Stream:
        """Give the current stream as an object."""
        return _made(self._current)

    def default(self) -> torch.Stream:
        """Give the default stream as an object."""
        return _made(self._default)


def _made(ids: Ids) -> torch.Stream:
    number, index, kind = ids
    return torch.Stream(stream_id=number, device_index=index, device_type=kind)
