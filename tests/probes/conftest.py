"""Every test compiles from nothing, and asks probes that were imported just now."""

from __future__ import annotations

from importlib import util
from typing import TYPE_CHECKING

import pytest
import torch

import probes.eager
import probes.safe

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


@pytest.fixture(autouse=True)
def _nothing_compiled() -> None:
    """Forget what earlier tests compiled, so that each traces anew."""
    torch.compiler.reset()


@pytest.fixture
def fresh() -> Callable[[ModuleType], ModuleType]:
    """Import a probe module once more."""
    return _fresh


@pytest.fixture
def outcomes() -> Callable[[str], list[object]]:
    """Ask a fresh eager and a fresh safe probe, each twice."""
    return _outcomes


def _fresh(module: ModuleType) -> ModuleType:
    """A copy of a probe module that was imported just now, with an empty cache."""
    spec = util.find_spec(module.__name__)
    assert spec is not None
    assert spec.loader is not None
    copy = util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


def _outcomes(name: str) -> list[object]:
    """What the two forms of a probe do: answers, or type and message of the error."""
    forms = [getattr(_fresh(module), name) for module in (probes.eager, probes.safe)]
    return [_outcome(form) for form in forms for _ in range(2)]


def _outcome(probe: Callable[[], bool]) -> object:
    """The answer, or type and message of the error."""
    try:
        return probe()
    # What a plug-in raises may be anything.
    except BaseException as error:  # noqa: BLE001
        return type(error), str(error)
