"""The context managers that select a device, or one of its streams: Dynamo traces into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from graphaudit.platforms import ordinals

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

    from graphaudit.platforms.streams import Streams


class SelectedDevice:
    """`with torch.npu.device(0)`: there is one."""

    _check: ClassVar[Callable[[int], int]]

    def __init__(self, device: Any) -> None:
        """Take whatever names the device."""
        self.idx = ordinals.index(device)

    def __enter__(self) -> None:
        """Select it."""
        type(self)._check(self.idx)

    def __exit__(self, *_error: object) -> None:
        """Leave it selected."""


class SelectedStream:
    """`with torch.npu.stream(stream)`: it is the current one meanwhile; None changes nothing."""

    _streams: ClassVar[Streams]

    def __init__(self, stream: torch.Stream | None) -> None:
        """Take the stream."""
        self.stream = stream
        self._before = self._streams.current_ids()

    def __enter__(self) -> None:
        """Make it the current one."""
        if self.stream is not None:
            self._before = self._streams.current_ids()
            self._streams.select(self.stream)

    def __exit__(self, *_error: object) -> None:
        """Go back to the one before."""
        self._streams.set_current(*self._before)


def of_device(name: str) -> type[SelectedDevice]:
    """Give the class for a device, by the name that errors call it by."""
    return type("device", (SelectedDevice,), {"_check": staticmethod(ordinals.only(name))})


def of_streams(streams: Streams) -> type[SelectedStream]:
    """Give the class for the streams of a device."""
    return type("StreamContext", (SelectedStream,), {"_streams": streams})
