"""Streams, events and graphs of a device on which everything is done at once."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar, Final

import torch

from graphaudit.platforms.errors import NotSimulated

NUMBER: Final = 1  # c10::DeviceType::CUDA


class CudaStreamBase(torch.Stream):
    """What `torch.cuda.Stream` is built on."""

    _ids: ClassVar = itertools.count(1)
    _priority: int

    def __new__(
        cls,
        *,
        priority: int = 0,
        stream_id: int | None = None,
        device_index: int = 0,
        device_type: int = NUMBER,
        stream_ptr: int = 0,  # noqa: ARG004 - of an external stream
    ) -> CudaStreamBase:
        """Make a stream, or name one that is there."""
        number = next(cls._ids) if stream_id is None else stream_id
        made = super().__new__(
            cls, stream_id=number, device_index=device_index, device_type=device_type
        )
        made._priority = priority
        return made

    @property
    def cuda_stream(self) -> int:
        """The handle: a number of its own for each stream, 0 for the default one."""
        return int(self.stream_id)

    @property
    def priority(self) -> int:
        """As asked for."""
        return self._priority

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """Give the lowest and the highest priority that torch uses on any CUDA device."""
        return (0, -3)

    def query(self) -> bool:
        """Say that all is done."""
        return True

    def synchronize(self) -> None:
        """Wait for nothing."""


class CudaEventBase(torch.Event):
    """What `torch.cuda.Event` is built on."""

    def __new__(
        cls,
        enable_timing: bool = False,
        blocking: bool = False,
        interprocess: bool = False,
        external: bool = False,  # noqa: ARG004
    ) -> CudaEventBase:
        """Make an event."""
        return super().__new__(
            cls,
            torch.device("cuda", 0),
            enable_timing=enable_timing,
            blocking=blocking,
            interprocess=interprocess,
        )

    @property
    def cuda_event(self) -> int:
        """The handle."""
        return id(self)

    def record(self, stream: object = None) -> None:
        """Record nothing: all is done."""

    def wait(self, stream: object = None) -> None:
        """Wait for nothing."""

    def query(self) -> bool:
        """Say that all is done."""
        return True

    def synchronize(self) -> None:
        """Wait for nothing."""

    def elapsed_time(self, _end: object) -> float:
        """Refuse: nothing took time."""
        raise NotSimulated("not simulated: torch.cuda.Event.elapsed_time on a simulated device")

    def ipc_handle(self) -> bytes:
        """Refuse: no other process can see it."""
        raise NotSimulated("not simulated: torch.cuda.Event.ipc_handle on a simulated device")


class CudaGraph:
    """What `torch.cuda.CUDAGraph` is built on: nothing can be captured."""

    device_name: ClassVar = "a simulated device"

    @classmethod
    def on(cls, name: str) -> type[CudaGraph]:
        """Give the class for a device."""
        return type("_CUDAGraph", (cls,), {"device_name": name})

    def __new__(cls, *_args: Any, **_kwargs: Any) -> CudaGraph:
        """Refuse.

        Raises:
            NotSimulated: Always.
        """
        raise NotSimulated(f"not simulated: torch.cuda.CUDAGraph on {cls.device_name}")
