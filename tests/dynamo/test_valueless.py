"""Which errors of a factory are about what a fake tensor has not got."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from graphaudit._artefact import artefact
from graphaudit._dynamo.valueless import lacking

if TYPE_CHECKING:
    from collections.abc import Callable

ASKS = {
    "a number": lambda: torch.ones(2).max().item(),
    "a list": lambda: torch.ones(2).tolist(),
    "a truth": lambda: bool(torch.ones(2).sum() > 0),
    "a size": lambda: torch.ones(2)[torch.ones(2) > 0],
    "an array": lambda: torch.ones(2).numpy(),
    "a text": lambda: f"{torch.ones(2).mean():.2f}",
    "pinned memory": lambda: torch.ones(2).pin_memory(),
}
FAILS = {
    "shapes": lambda: torch.ones(2, 3) @ torch.ones(2, 3),
    "index": lambda: torch.ones(2)[5],
    "type": lambda: torch.embedding(torch.ones(2, 2), torch.ones(2)),
    "its own": lambda: [].pop(),
}


def raised(make: Callable[[], object]) -> Exception:
    """Give what a factory raises on fake tensors."""
    with FakeTensorMode(), pytest.raises(Exception) as caught:  # noqa: PT011 - any, by its kind
        make()
    return caught.value


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_a_question_for_a_value_is_told_as_the_simulations(ask: Callable[[], object]) -> None:
    """With the line of the target that asks, and not torch's that refuses."""
    told = lacking(raised(ask))

    assert f" at {__file__}:{ask.__code__.co_firstlineno};" in told
    assert artefact([told], simulated="cuda") == told


@pytest.mark.parametrize("fail", FAILS.values(), ids=FAILS)
def test_what_fails_on_a_real_device_too_is_the_targets(fail: Callable[[], object]) -> None:
    """A fake tensor knows as much."""
    assert lacking(raised(fail)) == ""
