"""What we wrap of Dynamo: there in this torch, named where it is not, put back."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch._dynamo import convert_frame, eval_frame
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch.autograd import profiler

from graphaudit._dynamo import collector, hooks, skips, torch_state, watched
from graphaudit._dynamo.coverage import recorder
from graphaudit._dynamo.hooks import Hook
from graphaudit._dynamo.passes import Plan, run
from graphaudit._target.factory import Input


@pytest.mark.parametrize("module", [collector, skips, watched, recorder, torch_state])
def test_every_hook_is_there_in_this_torch(module: object) -> None:
    """A canary: with a loss, reports have less detail."""
    assert hooks.losses(module.HOOKS) == ()  # type: ignore[attr-defined]


def test_other_parameters_are_named() -> None:
    """Never silent."""
    hooks.fault.cache_clear()
    with patch.object(InstructionTranslatorBase, "log_graph_break", new=lambda *_: None):
        (loss,) = hooks.losses(collector.HOOKS)
    hooks.fault.cache_clear()

    assert loss.startswith("log_graph_break takes other arguments than self, code_options")


def test_a_parameter_may_have_another_name_by_version() -> None:
    """Written as a choice."""

    class Owner:
        def run(self, frame: int) -> int:
            return frame

    hook = Hook(owner=Owner, name="run", parameters=("self", "code|frame"), loss="all")

    assert hooks.fault(hook) == ""


def test_one_that_is_gone_is_left_alone() -> None:
    """The others are wrapped, and put back whatever leaves the block."""
    gone = Hook(owner=eval_frame, name="no_such_function", parameters=(), loss="nothing")
    there = skips.HOOKS[-1]
    original = getattr(there.owner, there.name)

    def leave() -> None:
        with hooks.installed({gone: lambda _: print, there: lambda _: print}):
            assert getattr(there.owner, there.name) is print
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()

    assert getattr(there.owner, there.name) is original
    assert not hasattr(eval_frame, "no_such_function")
    assert hooks.losses([gone]) == ("no_such_function is gone: nothing",)


@pytest.mark.parametrize(
    ("owner", "name", "lost"),
    [
        (profiler, "_prepare_profiler", "operators are not counted"),
        (torch.autograd, "_engine_run_backward", "operators are not counted"),
        (
            convert_frame,
            "register_bytecode_hook",
            "a function that is left to eager without a word is not seen",
        ),
    ],
)
def test_a_torch_without_it_loses_one_thing(owner: Any, name: str, lost: str) -> None:
    """The breaks are shown as before."""
    held = getattr(owner, name)
    hooks.fault.cache_clear()
    try:
        delattr(owner, name)
        named = hooks.losses((*skips.HOOKS, *recorder.HOOKS))
        (outcome,) = run(
            Plan(verdict="default", warm=True, measure=True),
            [Input(call=broken, args=(torch.ones(2),), kwargs={})],
        )
    finally:
        setattr(owner, name, held)
        hooks.fault.cache_clear()

    assert named == (f"{name} is gone: {lost}",)
    assert [event.effect for event in outcome.events] == ["resumes"]
    assert (len(outcome.measured) == 0) == (lost == "operators are not counted")


def broken(x: torch.Tensor) -> torch.Tensor:
    """Break once."""
    x = x + 1
    torch._dynamo.graph_break()
    return x * 2
