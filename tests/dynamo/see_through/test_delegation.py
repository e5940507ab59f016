"""`yield from` what Dynamo cannot step through, and instructions that nothing is known of."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
import torch

from graphaudit._dynamo.see_through import emulation, opcodes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.sight import Sight


@torch.compiler.disable
def opaque(value: Any) -> Any:
    """Give the argument back, unseen."""
    return value


def delegating() -> Iterator[int]:
    """Give what a C function makes of two numbers, then another."""
    yield from map(opaque, [1, 2])
    time.time()
    yield 4


def sums(x: torch.Tensor) -> torch.Tensor:
    """Add what a generator gives."""
    for value in delegating():
        x = x + value
    if x[0] == 8:
        time.sleep(0)  # all were given
    return x


def test_an_iterator_is_stepped_for_real(
    sites: Callable[..., list[str]], ones: torch.Tensor
) -> None:
    """Each value arrives, and the end is one."""
    assert sites(sums, ones) == [
        "yield from map(opaque, [1, 2])",
        "time.time()",
        "if x[0] == 8:",
        "time.sleep(0)  # all were given",
    ]


def imports(x: torch.Tensor) -> torch.Tensor:
    """Import what is missing."""
    try:
        import not_there_at_all  # noqa: F401
    except ImportError:
        x = x + 1
    time.time()
    return x


def calls(x: torch.Tensor) -> torch.Tensor:
    """Do it in a further frame."""
    return imports(x) + 1


@pytest.mark.parametrize("call", [imports, calls])
def test_an_instruction_that_is_not_known(
    call: Callable[..., Any], see: Callable[..., Sight], ones: torch.Tensor
) -> None:
    """The trace says where it stopped: what follows may be missing."""
    assert see(call, ones).stopped_at is None

    with (
        patch.dict(opcodes._SIMPLE, clear=True),
        patch.dict(opcodes._MAKERS, clear=True),
        patch.dict(emulation._SPECIAL, clear=True),
    ):
        stop = see(call, ones).stopped_at

    assert stop is not None
    assert "no emulation of IMPORT_NAME" in stop.why
    assert stop.line == imports.__code__.co_firstlineno + 3
