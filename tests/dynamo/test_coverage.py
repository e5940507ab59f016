"""Graph coverage: what counts where, on which line, and that measuring changes nothing."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
import torch
from torch._dynamo.utils import counters
from torch.utils._python_dispatch import TorchDispatchMode

from graphaudit._dynamo import machine
from graphaudit._dynamo.coverage.measure import coverage_of
from graphaudit._dynamo.passes import Plan, run
from graphaudit._dynamo.watch import Watch
from graphaudit._target.factory import Input
from tests.dynamo.meter import Meter
from tests.scoring.wrappers import case_files, constants, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit.model import Coverage

# Dynamo looks at `.grad` itself and hides the warning from those who print it; the second is of one
# version of Python alone
pytestmark = [
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor"),
    pytest.mark.filterwarnings("ignore:Guards may run slower on Python"),
]

ONES = torch.ones(3, 3)


def measured(call: Callable[..., Any], *args: Any, **plan: Any) -> Coverage | None:
    """Measure one call, warm unless said otherwise."""
    chosen: dict[str, Any] = {"verdict": "default", "warm": True} | plan
    item = Input(call=call, args=args or (ONES,), kwargs={})
    (outcome,) = run(Plan(measure=True, **chosen), [item])
    for done in outcome.measured:
        return coverage_of(done.operators, complete=done.complete)
    return None


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
    assert coverage.complete
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
    """What Dynamo dispatches while it compiles is left out."""
    assert counts(measured(opaque, warm=False)) == (2, 5)


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
    coverage = measured(raising, warm=False)
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


@pytest.mark.filterwarnings("ignore:Warning. Profiler clears events")  # of torch 2.11
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


LINEAR = torch.nn.Linear(3, 3)


def step(x: torch.Tensor) -> torch.Tensor:
    """Train, with an eager part in the middle."""
    y = LINEAR(x).relu()
    loss = helper(y).sum()
    loss.backward()
    return loss.detach()


def test_a_backward_pass_belongs_to_what_it_undoes() -> None:
    """In graph where the forward pass was; the rest stands at the line of `.backward()`."""
    coverage = measured(step)
    # linear, relu, sum and detach; what undoes sum (1), relu (1) and linear (6)
    # the helper's five; what undoes them (7 + 1 + 7); the first gradient, and two that are added
    assert counts(coverage) == (4 + 8, 5 + 15 + 1 + 2)
    (at,) = (at for at in lines(coverage) if at[0][-1] == "loss.backward()")
    names = ("ones_like", "t", "mm", "add_", "threshold_backward")
    assert at[1:] == (18, tuple(f"aten::{name}" for name in names))


@pytest.mark.parametrize("call", [clean, opaque, dropped, raising, step, profiled])
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


@pytest.mark.parametrize("call", [clean, opaque, dropped, raising, step, profiled])
def test_dynamo_looks_at_the_frames_that_it_looks_at_without(call: Callable[..., Any]) -> None:
    """Frames, graphs, operators captured and breaks are as many as in two plain calls."""

    def counted(calls: Callable[[], Any]) -> dict[str, Any]:
        torch.compiler.reset()
        counters.clear()
        calls()
        return {name: dict(counters[name]) for name in ("frames", "stats", "graph_break")}

    def plain() -> None:
        compiled = torch.compile(call, backend="eager")
        for _ in range(2):
            with suppress(ValueError):
                compiled(ONES)

    assert counted(lambda: measured(call)) == counted(plain)


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


def test_a_range_of_the_users_is_no_operator() -> None:
    """Whatever its name looks like: what runs in it counts."""

    @torch.compiler.disable
    def attention(x: torch.Tensor) -> torch.Tensor:
        with torch.profiler.record_function("model::attention"):
            return x.sin().cos() + 1

    assert counts(measured(lambda x: attention(x) * 2)) == (1, 3)


class Counting(torch.nn.Module):
    """Is compiled anew in its second call."""

    def __init__(self) -> None:
        """Start at zero."""
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Count calls."""
        self.calls += 1
        return torch.relu(x) + self.calls


def test_what_is_dispatched_below_our_hooks_while_dynamo_compiles_is_no_operator() -> None:
    """The watch stands between Dynamo and the making of fake tensors."""
    call = Counting()
    plan = Plan(verdict="default", warm=True, measure=True)
    with machine.prepared(fake=False), Watch().installed():
        (outcome,) = run(plan, [Input(call=call, args=(ONES,), kwargs={})])

    (warm,) = outcome.measured
    coverage = coverage_of(warm.operators, complete=True)
    assert (coverage.in_graph, coverage.eager) == (2, 0)
    assert coverage.compiling > 0


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


# the check's kernel cannot stand above a mode or a subclass of tensors
BEYOND_THE_CHECK = {
    "cases::audit_058_wrapper_subclass_built_inside",
    "cases::audit_064_parameter_ctor",
    "cases::audit_069_cpu_scalar_with_cuda",
    "cases::audit_075_cuda_synchronize__fake_cuda",
    "inputs::audit_many_gigabytes",
}
TESTS = Path(__file__).parents[1]


def twice(files: list[Path], folder: Path) -> dict[str, Any]:
    """Measure all entries of some files by both methods, in a process of their own."""
    result = folder / "result.json"
    command = [sys.executable, "-m", "tests.dynamo.coverage_twice", str(result), *map(str, files)]
    subprocess.run(command, cwd=TESTS.parent, check=True, capture_output=True, timeout=600)
    read: dict[str, Any] = json.loads(result.read_text())
    return {name: measured for name, measured in read.items() if measured}


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Measure the public cases."""
    folder = tmp_path_factory.mktemp("twice")
    cases = case_files(TESTS / "cases" / "public")
    write(cases, folder, per_file=len(cases))
    (wrapped,) = folder.glob("wrap_*.py")
    return twice([wrapped.rename(folder / "cases.py")], folder)


def agreeing(measured: dict[str, Any]) -> tuple[int, int]:
    """Check that the methods agree on each entry; count these, and those with eager operators.

    They give the operators in order, in a graph or not, and the line of each that is eager.
    """

    def told(operators: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
        return [
            (name, where, line if where == "eager" else 0)
            for name, where, line in operators
            if where != "compiling"
        ]

    both = {
        name: one
        for name, one in measured.items()
        if name not in BEYOND_THE_CHECK and one["profiler"] is not None
    }
    differ = {name for name, one in both.items() if told(one["profiler"]) != told(one["dispatch"])}
    assert differ == set()
    eager = [name for name, one in both.items() if any(op[1] == "eager" for op in one["dispatch"])]
    return len(both), len(eager)


def test_two_methods_agree_on_golden_cases_and_the_engine(tmp_path: Path) -> None:
    """The quick half of the comparison."""
    golden = sorted((TESTS / "cases" / "golden").glob("*.py"))
    measured = twice([*golden, TESTS.parent / "engine" / "audit.py"], tmp_path)
    entries, eager = agreeing(measured)
    assert entries >= 40
    assert eager >= 11


@pytest.mark.long
def test_two_methods_agree_on_the_public_cases(public: dict[str, Any]) -> None:
    """Every construct that is known to break."""
    entries, eager = agreeing(public)
    assert entries >= 70
    assert eager >= 24


@pytest.mark.long
def test_eager_operators_are_those_that_the_cases_name(public: dict[str, Any]) -> None:
    """The cases list ATen's, and what Dynamo runs where it traces anew in each call."""
    expected: dict[str, list[str]] = {}
    for path in case_files(TESTS / "cases" / "public"):
        case = constants(path)["EXPECT"]
        variants = {f"{path.stem}__{name}": one for name, one in case.get("variants", {}).items()}
        for name, one in {path.stem: case, **variants}.items():
            if one.get("eager_ops") is not None:
                expected[f"cases::audit_{name}"] = one["eager_ops"]
    found = {
        name: [
            operator.removeprefix("aten::")
            for operator, where, _ in public[name]["profiler"]
            if where != "graph" and operator.startswith("aten::")
        ]
        for name in expected
    }
    assert found == expected
    assert len(expected) == 69
