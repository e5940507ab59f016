"""Calls that Dynamo takes up in several frames, some of them left to Python."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight


class Model(torch.nn.Module):
    """Breaks once."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Break and compute."""
        time.sleep(0)
        return inner(x) * 2


def inner(x: torch.Tensor) -> torch.Tensor:
    """Be inlined."""
    torch._dynamo.graph_break()
    return x + 1


def hook(*_: Any) -> None:
    """Break outside `forward`."""
    time.perf_counter()


@pytest.mark.parametrize("fullgraph", [True, False])
def test_hooks_of_the_called_module(
    fullgraph: bool, sites: Callable[..., list[str]], ones: torch.Tensor
) -> None:
    """They run outside of the compiled frame, before and behind it."""
    model = Model()
    model.register_forward_hook(hook)
    model.register_forward_pre_hook(hook)

    assert sites(model, ones, fullgraph=fullgraph) == [
        "time.perf_counter()",
        "time.sleep(0)",
        "torch._dynamo.graph_break()",
    ]


def test_hooks_of_a_part(sites: Callable[..., list[str]], ones: torch.Tensor) -> None:
    """They are inlined."""
    model = torch.nn.Sequential(Model())
    model[0].register_forward_hook(hook)

    assert sites(model, ones) == [
        "time.sleep(0)",
        "torch._dynamo.graph_break()",
        "time.perf_counter()",
    ]


def test_effects_at_most_once_more(
    see: Callable[..., Sight], ones: torch.Tensor, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was traced runs in Python then, and is not traced again."""

    class Prints(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.show()
            return x + 1

        def show(self) -> None:
            print("shown")  # noqa: T201

    model = Prints()
    model.register_forward_hook(hook)
    see(model, ones)

    assert capsys.readouterr().out == "shown\n" * 2


def test_a_caller_that_dynamo_leaves_out(
    sites: Callable[..., list[str]], ones: torch.Tensor
) -> None:
    """Its callees are frames of their own, all of them."""

    def outer(x: torch.Tensor) -> torch.Tensor:
        return other(inner(x))

    def other(x: torch.Tensor) -> torch.Tensor:
        time.sleep(0)
        return x

    torch._dynamo.eval_frame.skip_code(outer.__code__)

    assert sites(outer, ones) == ["torch._dynamo.graph_break()", "time.sleep(0)"]
