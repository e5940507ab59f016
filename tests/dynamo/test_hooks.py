"""What we wrap of Dynamo: there in this torch, named where it is not, put back."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from torch._dynamo import eval_frame
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from graphaudit._dynamo import collector, hooks, skips, watch
from graphaudit._dynamo.hooks import Hook


@pytest.mark.parametrize("module", [collector, skips, watch])
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
