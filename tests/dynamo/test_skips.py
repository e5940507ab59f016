"""Functions left to eager without a word: found by their operators, with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import config
from torch._dynamo.eval_frame import skip_code
from torch.utils._python_dispatch import TorchDispatchMode

from graphaudit._dynamo.passes import Plan, run
from graphaudit._dynamo.verdicts import trace_entry
from graphaudit._target.factory import Input, Settings
from graphaudit.model import EntryPoint, Event

if TYPE_CHECKING:
    from collections.abc import Callable

ONES = torch.ones(3)
WEIGHT = torch.ones(3)
stop = torch._dynamo.graph_break  # a frame that names `torch` is not skipped
PLUGIN = ModuleType("plugin_that_cannot_be_imported")
exec("GAIN = 3.0\ndef apply(x):\n    return x * GAIN\n", PLUGIN.__dict__)  # noqa: S102 # stands here


class Mode(TorchDispatchMode):
    """Hand each operator on."""

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Change nothing."""
        return func(*args, **(kwargs or {}))


@dataclass
class Holder:
    """No tensor to Dynamo, though it holds one."""

    held: torch.Tensor


def plain(x: torch.Tensor) -> torch.Tensor:
    """Break nowhere."""
    return x.sin() + 1


def below_a_break(_x: torch.Tensor, holder: Holder) -> torch.Tensor:
    """Go on after a break, with an object alone."""
    stop()
    return holder.held * 2


def with_a_global(_x: torch.Tensor) -> torch.Tensor:
    """Go on after a break, with a global alone."""
    stop()
    return WEIGHT.detach().clone()


def without_tensors(x: torch.Tensor) -> torch.Tensor:
    """Call a frame that Dynamo skips, and that has nothing to lose."""
    stop()
    return x * double(2)


def double(number: int) -> int:
    """Compute without tensors."""
    return number * 2


def skipped(x: torch.Tensor) -> torch.Tensor:
    """Call what is compiled, and add."""
    return plain(x) + 1


def dropped(x: torch.Tensor) -> torch.Tensor:
    """Lose the whole frame to a break in a loop."""
    for _ in range(2):
        stop()
        x = x + 1
    return x.cos()


class Disabled(torch.nn.Module):
    """Has nothing to compile."""

    @torch.compiler.disable
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Stay in eager."""
        return x + 1


skip_code(skipped.__code__)


def events(call: Callable[..., Any], *args: Any, **settings: Any) -> tuple[Event, ...]:
    """Give the events that a measured call adds to the traces."""

    def factory() -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return call, args or (ONES,)

    entry = EntryPoint(id="a.py::audit_a", path="a.py", line=1, name="audit_a")
    given = Settings(**settings)
    (plain,) = trace_entry(entry, factory, given, measure=False)
    (trace,) = trace_entry(entry, factory, given)
    return trace.events[len(plain.events) :]


@pytest.mark.parametrize("gate", ["default", "fullgraph"])
@pytest.mark.parametrize(
    ("call", "args", "source", "reason"),
    [
        (
            below_a_break,
            (ONES, Holder(ONES)),
            "return holder.held * 2",
            "no tensor-related objects found in frame",
        ),
        (
            with_a_global,
            (ONES,),
            "return WEIGHT.detach().clone()",
            "no tensor-related objects found in frame",
        ),
        (
            skipped,
            (ONES,),
            "return plain(x) + 1",
            "Dynamo was told to leave this function alone",
        ),
    ],
)
def test_tensor_work_in_a_skipped_frame(
    gate: str, call: Callable[..., Any], args: tuple[Any, ...], source: str, reason: str
) -> None:
    """No break is logged for it, and fullgraph may say that all is well."""
    (event,) = events(call, *args, gate=gate)
    root = event.causes[0]

    assert (event.effect, event.stack[-1].source) == ("not_compiled", source)
    assert (root.gb, root.gb_type, root.context) == (None, f"Skipped frame: {reason}", reason)


def test_the_operators_are_told() -> None:
    """So that the reader sees what is lost."""
    (event,) = events(with_a_global, gate="default")

    assert event.causes[0].explanation == (
        "2 operators ran in eager, and no break was logged: aten::detach, aten::clone"
    )


def test_a_stance_that_leaves_all_to_eager() -> None:
    """A plain compile says nothing and makes no graph, and so does fullgraph."""
    stance = torch.compiler.set_stance
    for gate in ("default", "fullgraph"):
        (event,) = events(plain, gate=gate, context=lambda: stance("force_eager"))

        assert event.causes[0].context == "the stance is force_eager"
        assert event.stack[-1].source == "return x.sin() + 1"


@pytest.mark.parametrize("call", [plain, without_tensors, dropped, Disabled()])
@pytest.mark.parametrize("gate", ["default", "fullgraph"])
def test_nothing_is_added_where_nothing_is_lost_or_a_break_tells_it(
    call: Callable[..., Any], gate: str
) -> None:
    """A frame without tensor work, one that a break has dropped, one that is disabled."""
    assert events(call, gate=gate) == ()


@pytest.mark.parametrize("context", [Mode, lambda: config.patch(disable=True)])
@pytest.mark.parametrize("gate", ["default", "fullgraph"])
def test_what_fullgraph_tells_is_told_once(context: Callable[[], Any], gate: str) -> None:
    """It found no compiled frame: below a mode, or where Dynamo is switched off."""
    assert events(plain, gate=gate, context=context) == ()


def test_an_error_that_a_setting_hides() -> None:
    """The log alone speaks of it; the program runs in eager."""
    call = Input(call=lambda x: PLUGIN.apply(x) + 1, args=(ONES,), kwargs={})
    plan = Plan(verdict="default", context=lambda: config.patch(suppress_errors=True))
    (outcome,) = run(plan, [call])
    (event,) = outcome.events

    assert (event.effect, event.causes[0].gb_type) == ("not_compiled", "InternalTorchDynamoError")
    assert "No module named 'plugin_that_cannot_be_imported'" in event.causes[0].explanation
    assert outcome.error is None
