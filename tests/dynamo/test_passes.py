"""Passes over small functions: what the collector sees of each kind of break."""

from __future__ import annotations

import contextlib
import logging
import warnings
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
import torch

from graphaudit._dynamo import collector, hooks
from graphaudit._dynamo.passes import Outcome, Plan, run
from graphaudit._target.attributes import FactoryError
from graphaudit._target.factory import Input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ONES = torch.ones(3)


def trace(call: Callable[..., Any], *args: Any, **plan: Any) -> Outcome:
    """Run one pass over one input; the default trace unless said otherwise."""
    inputs = [Input(call=call, args=args or (ONES,), kwargs={})]
    (outcome,) = run(Plan(**({"verdict": "default"} | plan)), inputs)
    return outcome


def seen(outcome: Outcome) -> list[tuple[str, str | None, str]]:
    """Shorten events to source line, root id and effect."""
    return [(event.stack[-1].source, event.causes[0].gb, event.effect) for event in outcome.events]


def resumed(x: torch.Tensor) -> torch.Tensor:
    """Break in a straight line."""
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


def dropped(x: torch.Tensor) -> torch.Tensor:
    """Break in a loop."""
    for _ in range(2):
        x = x + 1
        torch._dynamo.graph_break()
    return x


def rest_eager(x: torch.Tensor) -> torch.Tensor:
    """Break in a try, after an operator to keep."""
    x = x + 1
    x = x * 2
    try:
        torch._dynamo.graph_break()
    finally:
        x = x - 1
    return x


@torch.compiler.disable
def eager_only(x: torch.Tensor) -> torch.Tensor:
    """Stay out of every graph."""
    return x.cos()


def opaque(x: torch.Tensor) -> torch.Tensor:
    """Call something disabled."""
    return eager_only(x + 1) * 2


def condition_of_two_lines(x: torch.Tensor) -> torch.Tensor:
    """Branch on a tensor in the second line of a condition."""
    if (
        x.shape[0] > 1  # a comment holds the lines apart
        and x.sum() > 0
        and x.shape[0] < 9
    ):
        return x + 1
    return x


def item(x: torch.Tensor) -> torch.Tensor:
    """Read a scalar, which fullgraph captures."""
    return x * x.sum().item()


def clean(x: torch.Tensor) -> torch.Tensor:
    """Break nowhere."""
    return x.sin() + 1


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (clean, []),
        (resumed, [("torch._dynamo.graph_break()", "GB0025", "resumes")]),
        (dropped, [("torch._dynamo.graph_break()", "GB0025", "frame_dropped")]),
        (rest_eager, [("torch._dynamo.graph_break()", "GB0025", "rest_eager")]),
        (opaque, [("return eager_only(x + 1) * 2", "GB0098", "opaque")]),
        (condition_of_two_lines, [("and x.sum() > 0", "GB0170", "resumes")]),
        (item, [("return x * x.sum().item()", "GB0124", "resumes")]),
    ],
)
def test_breaks_of_the_default_trace(
    call: Callable[..., Any], expected: list[tuple[str, str, str]]
) -> None:
    """The line, the root cause and the effect of each kind."""
    assert seen(trace(call)) == expected


def test_fullgraph_names_the_first_break_and_its_line() -> None:
    """A jump is blamed on its operand's line here too, where Dynamo has lost its traceback."""
    outcome = trace(condition_of_two_lines, verdict="fullgraph")

    assert outcome.events == []
    assert outcome.error is not None
    assert outcome.error.causes[0].gb == "GB0170"
    assert outcome.error.stack[-1].source == "and x.sum() > 0"
    assert outcome.error.effect == "not_compiled"


def test_fullgraph_captures_scalars_and_so_does_the_capture_pass() -> None:
    """A plain compile does not."""
    assert trace(item, verdict="fullgraph").error is None
    assert trace(item, capture=True).events == []


def test_graphs_are_those_of_the_first_call() -> None:
    """The warm call compiles anew what depends on a changed number."""
    count = iter(range(9))

    def counts(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    inputs = [Input(call=counts, args=(torch.ones(2 + next(count)),), kwargs={}) for _ in range(3)]
    (outcome,) = run(Plan(verdict="default", warm=True), inputs)

    assert outcome.graphs == 1


def test_several_callables_are_several_outcomes() -> None:
    """Each compiled by itself."""
    inputs = [Input(call=call, args=(ONES,), kwargs={}) for call in (clean, clean, resumed)]

    assert [len(one.events) for one in run(Plan(verdict="default"), inputs)] == [0, 1]


def test_a_call_that_raises_keeps_the_breaks_before() -> None:
    """The error is one more event, at the line that raised."""

    def fails(_x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        raise ValueError("no")

    outcome = trace(fails)

    # to Dynamo, an exception that nobody catches is a break as well
    assert [event.causes[0].gb for event in outcome.events] == ["GB0025", "GB0088"]
    assert outcome.error is not None
    assert outcome.error.causes[0].gb_type == "ValueError"
    assert outcome.error.stack[-1].source == 'raise ValueError("no")'
    assert outcome.message == "ValueError: no"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), RecursionError("deep")])
def test_anything_may_be_raised(error: BaseException) -> None:
    """Nothing that the target raises gets past its entry."""

    @torch.compiler.disable
    def fails(_x: torch.Tensor) -> torch.Tensor:
        raise error

    outcome = trace(lambda x: fails(x + 1))

    assert outcome.message.startswith(type(error).__name__)


def test_an_input_that_cannot_be_used_twice_is_said_and_no_finding() -> None:
    """The second call is ours, not the user's."""
    once = iter([1])

    @torch.compiler.disable
    def takes(x: torch.Tensor) -> torch.Tensor:
        return x + next(once)

    outcome = trace(lambda x: takes(x.sin()), warm=True)

    assert outcome.error is None
    assert "set .repeat = False" in outcome.message


def test_a_factory_that_fails_late_keeps_what_was_traced() -> None:
    """The first input was good."""

    def inputs() -> Iterator[Input]:
        yield Input(call=resumed, args=(ONES,), kwargs={})
        raise OSError("disk")

    (outcome,) = run(Plan(verdict="default"), inputs())

    assert len(outcome.events) == 1
    assert outcome.stopped == "asked for a further input, the factory raised OSError: disk"


def test_dynamo_is_left_as_it_was_found() -> None:
    """Every hook is taken out, and nothing is left on Dynamo's log."""
    before = [getattr(hook.owner, hook.name) for hook in collector.HOOKS]
    handlers = list(logging.getLogger("torch.__trace").handlers)

    trace(resumed)

    assert [getattr(hook.owner, hook.name) for hook in collector.HOOKS] == before
    assert logging.getLogger("torch.__trace").handlers == handlers


@pytest.mark.parametrize(
    ("call", "source", "gb"),
    [
        (resumed, "torch._dynamo.graph_break()", "GB0025"),
        (dropped, "torch._dynamo.graph_break()", "GB0025"),
        (condition_of_two_lines, "and x.sum() > 0", "GB0170"),
    ],
)
def test_without_the_hook_breaks_are_read_from_the_log(
    call: Callable[..., Any], source: str, gb: str
) -> None:
    """A torch that logs through another method loses us detail, not breaks."""
    fault = "is gone".__mul__
    with patch.object(hooks, "fault", lambda hook: fault(hook is collector._LOG)):
        (event,) = trace(call).events

    assert (event.stack[-1].source, event.causes[0].gb) == (source, gb)


def raises_deep_down(x: torch.Tensor) -> torch.Tensor:
    """Raise in a callee, below a context manager."""
    with torch.no_grad():
        return raises(x + 1)


def raises(_x: torch.Tensor) -> torch.Tensor:
    """Raise."""
    raise ValueError("deep")


@pytest.mark.parametrize("verdict", ["fullgraph", "default"])
def test_an_exception_that_nobody_catches_is_placed_where_it_was_raised(verdict: str) -> None:
    """Dynamo words the break when it leaves the outermost frame; it knows the way down."""
    outcome = trace(raises_deep_down, verdict=verdict)
    assert outcome.error is not None
    found = [*outcome.events, outcome.error]

    assert {event.stack[-1].source for event in found} == {'raise ValueError("deep")'}


def test_the_recompile_limit_is_seen() -> None:
    """It is logged nowhere; the function goes on in eager."""

    def by_number(x: torch.Tensor, number: str) -> torch.Tensor:
        return x + len(number)

    inputs = [Input(call=by_number, args=(ONES, "x" * size), kwargs={}) for size in range(12)]
    (outcome,) = run(Plan(verdict="default"), inputs)

    (event,) = {
        (one.effect, one.causes[0].gb_type, one.stack[-1].qualname)
        for one in outcome.events
        if one.effect != "recompile"
    }
    assert event[:2] == ("recompile_limit", "Dynamo recompile limit exceeded")
    assert event[2].endswith("by_number")


def test_mode_and_options_reach_torch_compile() -> None:
    """They come to the backend as keywords."""
    assert trace(clean, options={"mode": "reduce-overhead"}).error is None
    assert trace(clean, options={"dynamic": True}).error is None


def test_options_that_torch_compile_refuses() -> None:
    """They are named: without them it does not refuse."""
    with pytest.raises(FactoryError, match=r"^\.options is \{'bogus': 1\}: torch\.compile raised"):
        trace(clean, options={"bogus": 1})


@pytest.mark.parametrize("options", [{}, {"dynamic": True}])
def test_a_callable_that_torch_compile_refuses(options: dict[str, Any]) -> None:
    """It fails as a call does, whatever the options: they are not to blame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        script = torch.jit.script(torch.nn.ReLU())
    outcome = trace(script, options=options)
    assert outcome.message.startswith("RuntimeError: torch.compile does not support compiling")
    assert outcome.error is not None
    assert (outcome.error.effect, outcome.error.causes[0].gb_type) == ("error", "RuntimeError")


async def coroutine(x: torch.Tensor) -> torch.Tensor:
    """Break where Dynamo cannot go on."""
    torch._dynamo.graph_break()
    return x + 1


def numbers() -> Iterator[int]:
    """Give one number."""
    yield 1


def closes(x: torch.Tensor) -> torch.Tensor:
    """Close a generator that was alive at a break."""
    with contextlib.closing(numbers()) as items:  # type: ignore[type-var]
        return x + next(items)


def asserts(_x: torch.Tensor) -> torch.Tensor:
    """Fail by itself."""
    raise AssertionError("mine")


def breaks_and_asserts(_x: torch.Tensor) -> torch.Tensor:
    """Fail by itself behind a break."""
    torch._dynamo.graph_break()
    raise AssertionError("mine")


class Asserts:
    """Fails when Dynamo runs its code."""

    def __bool__(self) -> bool:
        """Fail."""
        raise AssertionError("mine")


@pytest.mark.parametrize(
    ("call", "args", "context"),
    [
        (coroutine, (ONES,), "raised by Dynamo's own code"),
        (closes, (ONES,), "a generator became a plain iterator at a graph break"),
        (asserts, (ONES,), ""),
        (breaks_and_asserts, (ONES,), "raised behind a graph break"),
        (lambda _x, flag: 1 if flag else 2, (ONES, Asserts()), ""),
        (clean, (ONES, ONES, ONES), ""),
        (torch.sin, ("text",), ""),
    ],
)
def test_whose_code_raised(call: Callable[..., Any], args: tuple[Any, ...], context: str) -> None:
    """What Dynamo makes is no error of the program, what it only passes on is one."""
    error = trace(call, *args).error
    assert error is not None
    assert (error.effect, error.causes[0].gb, error.causes[0].context) == ("error", None, context)
