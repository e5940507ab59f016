"""Graph coverage: what counts where, on which line, and that measuring changes nothing."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from graphaudit._dynamo import machine
from graphaudit._dynamo.coverage.measure import Meter
from graphaudit._dynamo.passes import Plan, run
from graphaudit._target.factory import Input

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.coverage.records import Coverage

ONES = torch.ones(3, 3)


def measured(call: Callable[..., Any], *args: Any, **plan: Any) -> Coverage | None:
    """Measure one call, warm unless said otherwise."""
    chosen: dict[str, Any] = {"verdict": "default", "warm": True} | plan
    return Meter(Plan(**chosen), call).measure(Input(call=call, args=args or (ONES,), kwargs={}))


def counts(coverage: Coverage | None) -> tuple[int, int]:
    """Shorten to operators in graphs and in eager."""
    assert coverage is not None
    return coverage.in_graph, coverage.eager


def lines(coverage: Coverage | None) -> list[tuple[list[str], int, tuple[str, ...]]]:
    """Shorten the eager places to their source lines, operators and names."""
    assert coverage is not None
    return [([place.source for place in at.stack], at.ops, at.names) for at in coverage.eager_at]


def clean(x: torch.Tensor) -> torch.Tensor:
    """Run in one graph."""
    return (x @ x).sin() + 1


def heavy(x: torch.Tensor) -> torch.Tensor:
    """Be called from what is disabled."""
    return x @ x.t()


@torch.compiler.disable
def helper(x: torch.Tensor) -> torch.Tensor:
    """Stay eager with all that it calls."""
    y = heavy(x).relu()
    return heavy(y)


def opaque(x: torch.Tensor) -> torch.Tensor:
    """Call something disabled between two graphs."""
    y = x.sin()
    y = helper(y)
    return y.cos()


def dropped(x: torch.Tensor) -> torch.Tensor:
    """Break in a loop, so that nothing is compiled."""
    for _ in range(3):
        x = x * 2
        torch._dynamo.graph_break()
    return x.sin()


def test_a_clean_function_runs_in_graphs_alone() -> None:
    """A composite operator is one."""
    coverage = measured(clean)
    assert counts(coverage) == (3, 0)
    assert coverage is not None
    assert coverage.share == 1.0
    assert coverage.compiling == 0


def test_eager_operators_stand_at_their_lines() -> None:
    """The stack leads from the compiled function down to the operator."""
    coverage = measured(opaque)
    assert counts(coverage) == (2, 5)
    call = "y = helper(y)"
    assert lines(coverage) == [
        ([call, "y = heavy(x).relu()", "return x @ x.t()"], 2, ("aten::t", "aten::matmul")),
        ([call, "y = heavy(x).relu()"], 1, ("aten::relu",)),
        ([call, "return heavy(y)", "return x @ x.t()"], 2, ("aten::t", "aten::matmul")),
    ]


def test_a_dropped_frame_is_eager_as_a_whole() -> None:
    """Operators of one line are one place."""
    coverage = measured(dropped)
    assert counts(coverage) == (0, 4)
    assert lines(coverage) == [
        (["x = x * 2"], 3, ("aten::mul",)),
        (["return x.sin()"], 1, ("aten::sin",)),
    ]


def test_the_first_call_can_be_measured() -> None:
    """What Dynamo dispatches while it compiles is counted by itself."""
    coverage = measured(opaque, warm=False)
    assert counts(coverage) == (2, 5)
    assert coverage is not None
    assert coverage.compiling > 0


def test_fake_tensors_count_alike() -> None:
    """What a fake tensor's mode does to answer an operator is not the program's."""
    with machine.prepared(fake=True):
        coverage = measured(opaque, torch.ones(3, 3))
    assert counts(coverage) == (2, 5)


def raising(x: torch.Tensor) -> torch.Tensor:
    """Raise by design, after some work."""
    y = helper(x).sin()
    if y.shape[0] == 3:
        raise ValueError
    return y


def test_a_call_that_raises_counts_up_to_there() -> None:
    """Dynamo leaves a frame that raises to eager; the record says that more may come."""
    coverage = measured(raising)
    assert counts(coverage) == (0, 6)
    assert coverage is not None
    assert not coverage.complete


def test_nothing_is_measured_where_dynamo_gives_up() -> None:
    """A break under fullgraph ends the call."""
    assert measured(opaque, verdict="fullgraph") is None


def profiled(x: torch.Tensor) -> torch.Tensor:
    """Run a profiler of its own between breaks."""
    y = helper(x)
    with_profiler(y)
    return helper(y)


seen: list[list[str]] = []


@torch.compiler.disable
def with_profiler(x: torch.Tensor) -> None:
    """Profile two operators, and keep their names."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        x.cos().sin()
    seen.append([event.name for event in profiler.events() if event.name.startswith("aten::")])


def test_a_profiler_of_the_target_wins() -> None:
    """It works as ever, and there is no coverage."""
    seen.clear()
    assert measured(profiled) is None
    assert seen == [["aten::cos", "aten::sin"]] * 2
    assert not torch.autograd._profiler_enabled()


def test_a_profiler_around_the_call_wins() -> None:
    """It records the call, and there is no coverage."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        assert measured(opaque) is None
    assert [event.name for event in profiler.events()].count("aten::relu") == 2


@pytest.mark.parametrize("call", [clean, opaque, dropped, raising])
def test_dynamo_shows_the_same_before_and_after(call: Callable[..., Any]) -> None:
    """Graphs, breaks, and what is cached."""

    def shown() -> list[Any]:
        (outcome,) = run(
            Plan(verdict="default", warm=True), [Input(call=call, args=(ONES,), kwargs={})]
        )
        breaks = [(event.stack, event.causes, event.effect) for event in outcome.events]
        return [outcome.graphs_of, outcome.message, breaks]

    before = shown()
    measured(call)
    assert shown() == before


def test_measuring_makes_the_graphs_that_a_plain_compile_makes() -> None:
    """A third and measured call compiles nothing, and a plain one after it neither."""
    meter = Meter(Plan(verdict="default", warm=True), opaque)
    item = Input(call=opaque, args=(ONES,), kwargs={})
    for _ in range(2):
        coverage = meter.measure(item)
        assert counts(coverage) == (2, 5)
        assert coverage is not None
        assert coverage.compiling == 0
    meter._compiled(ONES)
    assert meter._graphs.made == 2


class Noting(TorchDispatchMode):
    """A mode of the target's that sees every operator."""

    names: ClassVar[list[str]] = []

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note an operator."""
        self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


def under_a_mode(x: torch.Tensor) -> torch.Tensor:
    """Stay eager, since Dynamo skips frames under a mode."""
    return x.sin() + 1


def test_modes_of_the_target_see_what_they_saw() -> None:
    """They are no operators of the program, and they are not ours to hide."""
    mode = Noting()
    mode.names.clear()
    coverage = measured(under_a_mode, context=lambda: mode)
    assert counts(coverage) == (0, 2)
    assert mode.names == ["sin", "add"] * 2


def test_state_of_the_process_is_left_alone() -> None:
    """Random generators go as far as two plain calls take them; grad mode stays."""

    def draws(x: torch.Tensor) -> torch.Tensor:
        return helper(x) + torch.rand(3)

    def after(calls: Callable[[], Any]) -> list[Any]:
        machine.seed()
        calls()
        return [torch.get_rng_state().tolist(), random.getstate()]

    plain = torch.compile(draws, backend="eager")
    expected = after(lambda: (plain(ONES), plain(ONES)))
    with torch.no_grad():
        assert after(lambda: measured(draws)) == expected
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
