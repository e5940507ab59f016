"""The platform, real or simulated, and the state that every call of a factory starts from."""

from __future__ import annotations

import random
import sys
from contextlib import closing, contextmanager, nullcontext
from functools import cache, wraps
from types import GeneratorType
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from graphaudit._dynamo import torch_state
from graphaudit._dynamo.conversion import converting
from graphaudit._target import ambient
from graphaudit.platforms import current
from graphaudit.platforms.current import platform

__all__ = ["importing", "is_fake", "placed", "platform", "prepared", "seed", "simulated_device"]

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from contextlib import AbstractContextManager


def simulated_device() -> str:
    """Name the device that is simulated: `H100`; "" where nothing is, or cpu."""
    simulation = current.simulation()
    return simulation.device if simulation else ""


def is_fake() -> bool:
    """Tell whether tensors cannot be real: the device is not there."""
    simulation = current.simulation()
    return simulation is not None and simulation.device_type != "cpu"


@contextmanager
def prepared(*, fake: bool) -> Iterator[None]:
    """Start a pass as if it were the first, and leave the process as it was found.

    Args:
        fake: Make fake tensors: no memory, no values, models of any size.
    """
    ambient.clear_caches()
    with (
        ambient.kept(),
        torch_state.kept(),
        _fake_mode() if fake else nullcontext(),
        torch_state.modes_kept(),
    ):
        seed()
        yield


@contextmanager
def importing() -> Iterator[None]:
    """Hold what the target is imported under: what it makes then is on the device as well."""
    with _made_here(), _fake_mode() if is_fake() else nullcontext():
        yield


def placed(factory: Callable[[], Any]) -> Callable[[], Any]:
    """Let a factory make its tensors and modules on the device without naming it.

    Not so the call that is traced: a default device is a mode, which Dynamo would go through at
    each operator, with breaks that the program does not have.
    """

    @wraps(factory)
    def make() -> Any:
        with _made_here():
            made = factory()
        return _advanced(made) if isinstance(made, GeneratorType) else made

    return make


def _advanced(made: Generator[Any, None, None]) -> Generator[Any, None, None]:
    """Advance a generator on the device, and be away from it in between."""
    with closing(made):
        while True:
            with _made_here():
                try:
                    item = next(made)
                except StopIteration:
                    return
            yield item


@contextmanager
def _made_here() -> Iterator[None]:
    """Hold what the target makes tensors and modules under."""
    with _default_device(), converting():
        yield


def _default_device() -> AbstractContextManager[object]:
    device = _device()
    return torch.device(device) if device else nullcontext()


def _fake_mode() -> FakeTensorMode:
    """Give a mode; on a simulated device always the same, for tensors of two cannot meet."""
    return _only_mode() if is_fake() else FakeTensorMode(allow_non_fake_inputs=True)


@cache
def _only_mode() -> FakeTensorMode:
    return FakeTensorMode(allow_non_fake_inputs=True)


def _device() -> torch.device | None:
    """Give the device that tensors are made on where none is named; None for the processor."""
    simulation = current.simulation()
    if simulation is None:
        return torch.accelerator.current_accelerator(check_available=True)
    return torch.device(simulation.device_type) if is_fake() else None


def seed(number: int = 0) -> None:
    """Seed the generators of Python, torch, and of numpy where the target uses it."""
    random.seed(number)
    torch.manual_seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number)
