"""Recompilations: which guard failed, what changed from what to what, and the line it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
import torch

from graphaudit._dynamo import frame_values
from graphaudit._dynamo.guard_text import read
from graphaudit._dynamo.passes import Outcome, Plan, run
from graphaudit._target.factory import Input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from graphaudit.model import Event

ONES = torch.ones(3)
STATE = {"scale": 1.0}


def trace(
    call: Callable[..., Any],
    inputs: Sequence[tuple[Any, ...]] | Iterator[tuple[Any, ...]],
    **plan: Any,
) -> Outcome:
    """Run one pass over several inputs of one callable; fullgraph unless said otherwise."""
    items = (Input(call=call, args=args, kwargs={}) for args in inputs)
    (outcome,) = run(Plan(**({"verdict": "fullgraph"} | plan)), items)
    return outcome


def shown(event: Event) -> tuple[int, str, str]:
    """Shorten an event to its input, its line and what changed."""
    return event.input, event.stack[-1].source, event.causes[0].explanation


def by_name(x: torch.Tensor, name: str) -> torch.Tensor:
    """Branch on a text."""
    if name == "first":
        return x + 1
    return x * 2


def by_number(x: torch.Tensor, number: float) -> torch.Tensor:
    """Use a number in arithmetic."""
    return (x + number) * number


def by_length(x: torch.Tensor, items: list[torch.Tensor]) -> torch.Tensor:
    """Walk through a list."""
    for item in items:
        x = x + item
    return x


def plain(x: torch.Tensor) -> torch.Tensor:
    """Depend on the tensor alone."""
    return x + 1


def by_size(x: torch.Tensor) -> torch.Tensor:
    """Branch on a size."""
    if x.shape[0] > 5:
        return x + 1
    return x - 1


class Counter(torch.nn.Module):
    """Counts its calls."""

    def __init__(self) -> None:
        """Start at zero."""
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Count and go on."""
        self.calls += 1
        return x.sin()


class Layers(torch.nn.Module):
    """Layers that count."""

    def __init__(self) -> None:
        """Make two."""
        super().__init__()
        self.layers = torch.nn.ModuleList([Counter(), Counter()])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Call each."""
        for layer in self.layers:
            x = layer(x)
        return x


@dataclass
class Options:
    """An object that is no tensor."""

    scale: float = 1.0
    more: dict[str, int] = field(default_factory=dict)


class OtherOptions(Options):
    """Of another type."""


def by_options(x: torch.Tensor, options: Options) -> torch.Tensor:
    """Read an attribute."""
    return x * options.scale


def by_state(x: torch.Tensor) -> torch.Tensor:
    """Read a global."""
    return x * STATE["scale"]


@pytest.mark.parametrize(
    ("call", "inputs", "expected"),
    [
        (
            by_name,
            [(ONES, "first"), (ONES, "second")],
            (1, 'if name == "first":', "The text `name` was 'first' {}, and is 'second' now."),
        ),
        (
            by_number,
            [(ONES, 1), (ONES, 2)],
            (1, "return (x + number) * number", "The number `number` was 1 {}, and is 2 now."),
        ),
        (
            by_length,
            [(ONES, [ONES]), (ONES, [ONES, ONES])],
            (1, "for item in items:", "The length of `items` was 1 {}, and is 2 now."),
        ),
        (
            plain,
            [(ONES,), (torch.ones(4),)],
            (
                1,
                "def plain(x: torch.Tensor) -> torch.Tensor:",
                "The size of `x` at index 0 was 3 {}, and is 4 now.",
            ),
        ),
        (
            plain,
            [(ONES,), (ONES.double(),)],
            (
                1,
                "def plain(x: torch.Tensor) -> torch.Tensor:",
                "The dtype of `x` was Float {}, and is Double now.",
            ),
        ),
        (
            by_options,
            [(ONES, Options()), (ONES, Options(scale=2.0))],
            (
                1,
                "return x * options.scale",
                "The number `options.scale` was 1.0 {}, and is 2.0 now.",
            ),
        ),
        (
            Counter(),
            [(ONES,), (ONES,)],
            (1, "self.calls += 1", "The number `self.calls` was 0 {}, and is 1 now."),
        ),
    ],
)
def test_what_changed(
    call: Callable[..., Any], inputs: list[tuple[Any, ...]], expected: tuple[int, str, str]
) -> None:
    """The input that brought it, the line that made the guard, the values."""
    (event,) = trace(call, inputs).events

    index, source, told = expected
    assert event.effect == "recompile"
    assert shown(event) == (index, source, told.format("when the graph was made"))


def test_the_type_of_an_object() -> None:
    """Its identity in memory is not told: it differs from run to run."""
    (event,) = trace(by_options, [(ONES, Options()), (ONES, OtherOptions())]).events
    root = event.causes[0]

    assert root.gb_type == "Recompilation: the type of `options`"
    assert root.explanation.endswith("OtherOptions now.")
    assert root.context.startswith("___check_type_id(options, <id>), type=")


def test_a_global_that_changes() -> None:
    """It is named as the program names it."""

    def inputs() -> Iterator[tuple[Any, ...]]:
        yield (ONES,)
        STATE["scale"] = 3.0
        yield (ONES,)

    try:
        (event,) = trace(by_state, inputs()).events
    finally:
        STATE["scale"] = 1.0

    assert event.causes[0].gb_type == "Recompilation: the number `STATE['scale']`"


def test_the_state_of_the_process() -> None:
    """The grad mode is part of a graph."""

    def inputs() -> Iterator[tuple[Any, ...]]:
        yield (ONES,)
        with torch.no_grad():
            yield (ONES,)

    (event,) = trace(plain, inputs()).events

    assert event.causes[0].gb_type == "Recompilation: the global state grad_mode"


def test_a_size_that_changes_makes_one_more_graph_and_no_third() -> None:
    """Dynamo makes it dynamic then."""
    outcome = trace(plain, [(torch.ones(size),) for size in (3, 4, 5, 6)])

    assert [event.input for event in outcome.events] == [1]
    assert outcome.graphs_of == [1, 1, 0, 0]


def test_a_branch_on_a_size_is_blamed_and_not_its_first_use() -> None:
    """The range of sizes that a graph serves is made by that branch."""
    outcome = trace(by_size, [(torch.ones(size),) for size in (3, 4, 7)])
    first, second = outcome.events

    assert first.causes[0].gb_type == "Recompilation: the size of `x`"
    assert second.causes[0].gb_type == "Recompilation: the range of a size"
    assert second.causes[0].explanation == (
        "The graph was made for sizes with 2 <= x.size()[0] <= 5."
    )
    assert second.stack[-1].source == "if x.shape[0] > 5:"


def test_the_layers_of_a_model_are_one_kind() -> None:
    """Sixty layers that count are not sixty things to mend."""
    outcome = trace(Layers(), [(ONES,), (ONES,), (ONES,)])

    assert {event.causes[0].gb_type for event in outcome.events} == {
        "Recompilation: the number `self.layers[...].calls`"
    }


def test_the_second_call_with_one_input_is_told_apart() -> None:
    """A counter shows by itself what further inputs would show."""
    outcome = trace(Counter(), [(ONES,)], verdict="default", warm=True)

    assert [(event.effect, event.input, event.warm) for event in outcome.events] == [
        ("recompile", 0, True)
    ]


def test_nothing_is_said_of_a_call_that_the_graph_fits() -> None:
    """The look-alike of all others."""
    assert trace(plain, [(ONES,), (ONES + 1,)], verdict="default", warm=True).events == []


def test_a_new_break_and_its_recompilation_are_two_events() -> None:
    """A later input takes the other branch: it is compiled anew, and breaks there."""

    def breaks_later(x: torch.Tensor, flag: bool) -> torch.Tensor:
        if flag:
            torch._dynamo.graph_break()
        return x + 1

    outcome = trace(breaks_later, [(ONES, False), (ONES, True)], verdict="default")

    assert [(event.effect, event.input) for event in outcome.events] == [
        ("recompile", 1),
        ("resumes", 1),
    ]


@pytest.mark.parametrize("verdict", ["default", "fullgraph"])
def test_the_limit_names_every_guard_that_failed(verdict: str) -> None:
    """What is refused at last is no recompilation: it says where, and which guards failed."""
    outcome = trace(by_name, [(ONES, f"name {n}") for n in range(11)], verdict=verdict)
    found = [*outcome.events, *([outcome.error] if outcome.error else [])]
    effects = [(event.effect, event.input) for event in found]
    limit = found[7]

    assert effects[:8] == [("recompile", n) for n in range(1, 8)] + [("recompile_limit", 8)]
    assert {effect for effect, _ in effects[8:]} <= {"recompile_limit"}
    assert limit.stack[-1].source == 'if name == "first":'
    assert limit.causes[0].context.endswith(
        "failed, newest graph first: name == 'name 7'; name == 'name 6'; name == 'name 5'; "
        "name == 'name 4'; name == 'name 3'; name == 'name 2'; name == 'name 1'; name == 'name 0'"
    )


@pytest.mark.parametrize(
    ("reason", "kind", "before", "after"),
    [
        ("0/0: tensor 'x' rank mismatch. expected 1, actual 2", "the rank of `x`", "1", "2"),
        (
            "0/1: tensor 'x' requires_grad mismatch. expected requires_grad=0",
            "the requires_grad of `x`",
            "False",
            "True",
        ),
        ("0/0: len(d) != 1", "the length of `d`", "1", ""),
        ("1/0: not items", "the length of `items`", "0", ""),
        ("0/0: list(dict.keys(d))[0] == 'a'   # f(d)  # a/b.py:3 in f", "the keys of `d`", "", ""),
        ("0/0: not ___dict_contains('k', self.cache)", "the keys of `self.cache`", "", ""),
        ("0/0: hasattr(module, 'hook')", "the attributes of `module`", "", ""),
        ("0/0: ___check_obj_id(fn, 140000000000), type=<class 'x'>", "the object `fn`", "", ""),
        ('0/0: Duplicate tensors found: ["x", "y"]', "the sharing of tensors", "", ""),
        ("0/0: x[0] is x[1]", "the sharing of tensors", "", ""),
        ("0/0: y is None", "the value `y`", "None", ""),
        ("0/0: y is not None", "the value `y`", "something", "None"),
        ("0/0: fn.training == True", "the flag `fn.training`", "True", ""),
        ("0/0: x.size()[0] == y.size()[0]", "the range of a size", "", ""),
        (
            "0/0: G['__import_pkg_dot_mod'].LIMIT == 3",
            "the number `pkg.mod.LIMIT`",
            "3",
            "",
        ),
        (
            "0/0: self._modules['layers']._modules['12'].calls == 1",
            "the number `self.layers[...].calls`",
            "1",
            "",
        ),
        (
            "0/0: Cache line invalidated because L['m'] got deallocated",
            "the lifetime of `m`",
            "",
            "",
        ),
        ("0/0: something new", "the guard `something new`", "", ""),
        ("1/0: L['___stack1'] == 0.5", "the number from before a graph break", "0.5", ""),
        ("1/0: ___stack0 is not None", "the value from before a graph break", "something", "None"),
        (
            "1/0: len(L['___stack0']) == 3",
            "the length of the value from before a graph break",
            "3",
            "",
        ),
        (
            "1/0: tensor '___stack0' rank mismatch. expected 1, actual 2",
            "the rank of the value from before a graph break",
            "1",
            "2",
        ),
        (
            "1/0: L['___stack0'].scale == 2",
            "the number `.scale` of the value from before a graph break",
            "2",
            "",
        ),
    ],
)
def test_forms_of_guards(reason: str, kind: str, before: str, after: str) -> None:
    """As `torch/_dynamo/guards.py` writes them; what is not known is told as it stands."""
    told = read(reason).told

    assert (told.kind, told.before, told.after) == (kind, before, after)


@torch.compiler.disable
def draw() -> float:
    """Give another number at each call, where Dynamo does not see it."""
    STATE["scale"] += 0.25
    return STATE["scale"]


def drawn(x: torch.Tensor) -> torch.Tensor:
    """Have a number come out of a break."""
    x = x * 2
    x = x + draw()
    return x + 1


def test_a_value_from_before_a_break_is_told_as_such() -> None:
    """It has no name in the program."""
    with patch.dict(STATE):
        outcome = trace(drawn, [(ONES,), (ONES,)], verdict="default")
    told = [shown(event) for event in outcome.events if event.effect == "recompile"]
    assert told == [
        (
            1,
            "x = x + draw()",
            "The number from before a graph break changed since the graph was made.",
        )
    ]


def test_a_value_is_looked_up_without_running_the_target() -> None:
    """A property is code: it is not asked."""

    class Lazy:
        stored = 3

        @property
        def made(self) -> int:
            raise AssertionError

        def __getattr__(self, name: str) -> int:
            raise AssertionError

    local = {"it": Lazy(), "module": torch.nn.Sequential(Counter())}
    asked = {
        text: frame_values.value(text, local, {"K": [1, 2.5]})
        for text in (
            "it.stored",
            "it.made",
            "it.gone",
            "type(it.stored)",
            "module._modules['0'].calls",
            "G['K'][1]",
            "len(G['K'])",
            "G['K']",
            "f(it)",
            "it.",
        )
    }

    assert asked == {
        "it.stored": "3",
        "it.made": "",
        "it.gone": "",
        "type(it.stored)": "int",
        "module._modules['0'].calls": "0",
        "G['K'][1]": "2.5",
        "len(G['K'])": "2",
        "G['K']": "",
        "f(it)": "",
        "it.": "",
    }
