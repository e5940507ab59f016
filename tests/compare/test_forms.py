"""Forms of pairs, traced and called in this process: answers, changes, what is left behind."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
import torch

from graphaudit._dynamo.pair import pair_traces
from graphaudit._target.attributes import FactoryError
from graphaudit._target.pair import PairSettings
from graphaudit.model import EntryPoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from graphaudit.model import Form, Trace

# Dynamo warns of each cache that it looks through
pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call to a `functools.lru_cache`")

ENTRY = EntryPoint(id="p.py::compare_x", path="p.py", line=1, name="compare_x")
FLAG = False
SWITCH = "GRAPHAUDIT_TEST_SWITCH"


def traces(
    eager: Callable[..., Any], safe: Callable[..., Any], *args: Any, **attributes: Any
) -> tuple[Trace, ...]:
    """Compare two forms."""
    return pair_traces(ENTRY, lambda: (eager, safe, args), PairSettings(**attributes))


def form(eager: Callable[..., Any], *args: Any, **attributes: Any) -> Form:
    """Give what was measured of the first of two equal forms."""
    first, _ = traces(eager, eager, *args, **attributes)
    assert first.form is not None
    return first.form


def flag() -> bool:
    """Read a constant, which is guarded."""
    return FLAG


@functools.lru_cache(maxsize=1)
def flag_cached() -> bool:
    """Read it behind a cache, which Dynamo looks through."""
    return FLAG


def switch() -> bool:
    """Read the environment, which is not guarded."""
    return os.environ.get(SWITCH) == "1"


@functools.lru_cache(maxsize=1)
def switch_cached() -> bool:
    """Read it behind a cache."""
    return os.environ.get(SWITCH) == "1"


def switch_or_raise() -> bool:
    """Answer before the change, and raise after it."""
    if FLAG:
        raise ValueError(os.environ.get(SWITCH))
    return False


def flips() -> AbstractContextManager[Any]:
    """Change the constant."""
    return patch.dict(globals(), FLAG=True)


def is_set() -> AbstractContextManager[Any]:
    """Change the environment."""
    return patch.dict(os.environ, {SWITCH: "1"})


def module_appears() -> AbstractContextManager[Any]:
    """Have another module imported."""
    return patch.dict(sys.modules, graphaudit_test_module=os)


def module_is_there() -> bool:
    """Look whether it is imported, which is guarded."""
    return "graphaudit_test_module" in sys.modules


@pytest.mark.parametrize(
    ("asked", "change", "following", "guard"),
    [
        (flag, is_set, "unchanged", False),
        (flag, flips, "follows", True),
        (module_is_there, module_appears, "follows", False),
        (switch_cached, is_set, "cached", False),
        (switch, is_set, "stale", False),
        (flag_cached, flips, "ahead", True),
        (switch_or_raise, flips, "differs", True),
    ],
)
def test_what_a_later_change_does(
    asked: Callable[[], bool], change: Callable[[], Any], following: str, *, guard: bool
) -> None:
    """Compiled code against eager code, and the guard where one failed."""
    (later,) = form(asked, changes={"it changes": change}).later

    assert (later.change, later.following) == ("it changes", following)
    assert ("FLAG" in later.recompiled) == guard


def test_answers_of_a_stale_form() -> None:
    """What each gives after the change."""
    (later,) = form(switch, changes={"it is set": is_set}).later
    assert (later.eager.text, later.compiled.text, later.fresh.text) == ("True", "False", "True")


def test_changes_are_undone_one_by_one() -> None:
    """Each starts from how things were found."""
    changes = {"set": is_set, "flips": flips, "set again": is_set}
    assert [one.following for one in form(switch, changes=changes).later] == [
        "stale",
        "unchanged",
        "stale",
    ]
    assert SWITCH not in os.environ
    assert not FLAG


class Doubles(torch.nn.Module):
    """A form that is a module."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Double it."""
        return x * 2

    def method(self, x: torch.Tensor) -> torch.Tensor:
        """Double it as well."""
        return x + x


@functools.lru_cache(maxsize=2)
def doubles_cached(x: torch.Tensor) -> torch.Tensor:
    """Double it once."""
    return x * 2


@pytest.mark.parametrize(
    "safe",
    [
        Doubles(),
        Doubles().method,
        functools.partial(torch.add, torch.ones(3)),
        torch.exp2,
        doubles_cached,
        torch.compile(lambda x: x * 2, backend="eager"),
        lambda x: torch.compile(torch.exp2, backend="eager")(x),
    ],
)
def test_forms_of_all_kinds(safe: Callable[..., Any]) -> None:
    """A module, a method, a partial, a function of torch's, a cache; compiled outside or inside."""
    one, other = traces(lambda x: x * 2, safe, torch.ones(3))

    assert other.fullgraph.ok
    assert other.form
    assert other.form.agrees
    assert other.form.same
    assert other.form.answer.text == "a tensor: float32 (3,) on cpu"
    assert (one.entry.id, other.entry.id) == ("p.py::compare_x[eager]", "p.py::compare_x[safe]")


def test_forms_with_keywords() -> None:
    """They are called by name, compiled and timed as well."""
    eager, safe = pair_traces(
        ENTRY,
        lambda: ((lambda x, *, by: x * by), (lambda x, by=0: x * by), (torch.ones(2),), {"by": 3}),
        PairSettings(),
    )
    for trace in (eager, safe):
        assert trace.fullgraph.ok
        assert trace.form
        assert (trace.form.same, trace.form.agrees) == (True, True)
        assert trace.form.nanoseconds


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "None"),
        (3, "3"),
        ("musa", "'musa'"),
        ((True, None), "(True, None)"),
        ((1,), "(1,)"),
        ([1, [2]], "[1, [2]]"),
        ({"a": 1}, "a dict"),
        (b"musa", "a bytes"),
        ((torch.ones(2), {}), "(a tensor: float32 (2,) on cpu, a dict)"),
        ("x" * 100, f"'{'x' * 79}..."),
        (os, "module os"),
        (len, "function builtins.len"),
        (int, "class builtins.int"),
    ],
)
def test_answers_in_words(answer: Any, words: str) -> None:
    """Short ones as they are, others by their type."""
    given = form(lambda: answer)
    assert (given.answer.text, given.same) == (words, True)


@pytest.mark.parametrize(
    ("eager", "safe", "apart"),
    [
        (lambda x: x, lambda x: x + 0.25, "by up to 0.25"),
        (lambda x: x, lambda x: x * (1 + 1e-7), ""),
        (lambda x: x * float("nan"), lambda x: x, "by up to inf"),
        (lambda x: x + 2j, lambda x: x - 1j, "by up to 3"),
        (lambda x: (x, x * 2), lambda x: (x, x * 3), "in answer[1]"),
        (lambda x: {"a": x, "b": 1}, lambda x: {"a": x, "b": 2}, "in answer['b']"),
        (lambda _: 1, lambda _: 2, ""),
    ],
)
def test_how_far_answers_are_apart(
    eager: Callable[..., Any], safe: Callable[..., Any], apart: str
) -> None:
    """Where their words are the same."""
    _, other = traces(eager, safe, torch.ones(3))
    assert other.form
    assert other.form.apart == apart


class Musa:
    """An answer that has no parts."""


class Cuda:
    """Another."""


@pytest.mark.parametrize(
    ("eager", "safe"),
    [
        (lambda: torch.relu, lambda: torch.sigmoid),
        (lambda: [flag], lambda: [switch]),
        (lambda: Doubles().method, lambda: Doubles().forward),
        (lambda: int, lambda: str),
        (lambda: os, lambda: sys),
        (lambda: Musa(), lambda: Cuda()),
        (lambda: True, lambda: 1),
    ],
)
def test_answers_without_parts_are_told_apart(
    eager: Callable[..., Any], safe: Callable[..., Any]
) -> None:
    """By what they are called."""
    one, other = traces(eager, safe)
    assert one.form
    assert other.form
    assert (one.form.agrees, other.form.agrees) == (False, False)
    assert (one.form.same, other.form.same) == (True, True)


def appends(held: list[int]) -> list[int]:
    """Write to a list, and give it."""
    held.append(1)
    return held


def adds(x: torch.Tensor) -> torch.Tensor:
    """Write to a tensor, and give it."""
    return x.add_(1)


@pytest.mark.parametrize(
    ("writes", "argument"), [(appends, []), (adds, torch.zeros(3)), (adds, torch.zeros(3).double())]
)
def test_what_a_call_writes_does_not_reach_the_next(
    writes: Callable[..., Any], argument: Any
) -> None:
    """Each call starts from what the factory gave."""
    given = form(writes, argument, changes={"it is set": is_set})
    assert (given.same, given.agrees, given.apart) == (True, True, "")
    assert given.later[0].following == "unchanged"


def test_what_a_form_writes_to_its_arguments_is_compared() -> None:
    """It is how kernels answer."""
    _, safe = traces(lambda x: x.add_(1) and None, lambda x: x.add_(2) and None, torch.zeros(1))
    assert safe.form
    assert (safe.form.agrees, safe.form.apart) == (False, "in args[0]")


def test_a_change_of_an_argument_lasts_while_it_is_made() -> None:
    """Though arguments are put back after each call."""
    layer = Musa()
    vars(layer)["ready"] = False
    changes = {"it is ready": lambda: patch.object(layer, "ready", new=True)}
    (later,) = form(lambda one: one.ready, layer, changes=changes).later
    assert (later.following, later.eager.text, later.compiled.text) == ("follows", "True", "True")


@pytest.mark.parametrize("draws", [lambda: torch.rand(3), torch.nn.Dropout()])
def test_forms_that_draw_start_from_one_seed(draws: Callable[..., Any]) -> None:
    """Else chance would be told as a difference."""
    args = (torch.ones(64),) if isinstance(draws, torch.nn.Module) else ()
    given = form(draws, *args, changes={"it is set": is_set})
    assert (given.same, given.agrees, given.later[0].following) == (True, True, "unchanged")


def test_a_form_that_raises_when_it_is_timed_is_compared() -> None:
    """Without a time."""
    calls: list[int] = []

    def wears_out() -> bool:
        calls.append(1)
        if len(calls) > 5:
            raise RuntimeError("worn out")
        return True

    _, safe = pair_traces(ENTRY, lambda: (lambda: True, wears_out, ()), PairSettings())
    assert safe.form
    assert (safe.form.answer.text, safe.form.nanoseconds) == ("True", None)


def test_an_answer_that_holds_itself() -> None:
    """It has words of some depth only."""

    def holds_itself() -> list[Any]:
        held: list[Any] = []
        held.append(held)
        return held

    assert form(holds_itself).answer.text == "[[[[[...]]]]]"


def test_a_form_that_breaks_is_called_all_the_same() -> None:
    """Its break is told at its own line, without the function of ours around it."""

    def printed(x: torch.Tensor) -> torch.Tensor:
        print("a break")  # noqa: T201 - it is
        return x * 2

    broken, fine = traces(printed, lambda x: x * 2, torch.ones(2))
    ours = os.path.dirname(sys.modules[pair_traces.__module__].__file__ or "")  # noqa: PTH120

    assert (broken.fullgraph.ok, fine.fullgraph.ok) == (False, True)
    assert broken.form
    assert broken.form.same
    assert {event.stack[-1].qualname for event in broken.events} == {
        "test_a_form_that_breaks_is_called_all_the_same.printed"
    }
    assert not [at for event in broken.events for at in event.stack if at.path.startswith(ours)]


def test_watched_functions_in_the_order_of_their_calls() -> None:
    """Also behind a cache; what is not called is not named."""
    calls = form(lambda: (flag_cached(), switch(), switch()), watch=(switch, flag_cached, flag))
    assert calls.reached == (f"{__name__}.flag_cached", f"{__name__}.switch")
    assert form(flag, watch=()).reached == ()
    assert sys.getprofile() is None


def raises() -> bool:
    """Have no answer."""
    raise RuntimeError("no device")


def test_two_exceptions_are_no_answer() -> None:
    """A pair that is called wrongly must not hold."""
    with pytest.raises(FactoryError, match=r"both forms raise RuntimeError: no device"):
        traces(raises, raises)


def test_two_exceptions_may_be_the_answer() -> None:
    """Where the pair says so."""
    _, safe = traces(raises, raises, may_raise=True)
    assert safe.form
    assert (safe.form.answer.text, safe.form.answer.raised) == ("RuntimeError: no device", True)
    assert (safe.form.same, safe.form.agrees, safe.form.nanoseconds) == (True, True, None)


def test_one_exception_is_a_difference() -> None:
    """No matter of form."""
    _, safe = traces(flag, raises)
    assert safe.form
    assert not safe.form.agrees


def test_a_context_is_held_around_each_call() -> None:
    """In eager and compiled, before and after a change."""
    given = form(flag, context=flips, changes={"it is set": is_set})
    assert (given.answer.text, given.compiled.text) == ("True", "True")
    assert given.later[0].eager.text == "True"
    assert not FLAG


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (raises, ".changes['x'] raised RuntimeError: no device"),
        (lambda: 1, ".changes['x'] gave a int, no context manager"),
    ],
)
def test_a_change_that_cannot_be_made(change: Callable[[], Any], message: str) -> None:
    """It is named."""
    with pytest.raises(FactoryError) as caught:
        traces(flag, flag, changes={"x": change})
    assert message in str(caught.value)


def test_the_time_of_a_call() -> None:
    """Positive; a form that takes long is called a few times only."""
    calls = []

    def slow() -> bool:
        calls.append(1)
        return sum(range(4_000_000)) > 0

    given = form(slow)
    assert given.nanoseconds
    assert given.nanoseconds > 0
    assert len(calls) < 40


def counted() -> Iterator[int]:
    """Count the factory's calls."""
    yield from range(1_000)


def test_a_factory_that_gives_something_else_each_time() -> None:
    """Each call is one of its own: no form answers for another."""
    numbers = counted()

    def factory() -> tuple[Any, ...]:
        number = next(numbers)
        return (lambda: number >= 0), (lambda: number >= 0), ()

    eager, safe = pair_traces(ENTRY, factory, PairSettings())
    assert eager.form
    assert safe.form
    assert eager.form.agrees
    assert safe.form.agrees


def test_nothing_is_left_in_the_process() -> None:
    """What a form does to it is undone."""

    def meddles() -> bool:
        os.environ[SWITCH] = "1"
        sys.setrecursionlimit(5_000)
        torch.set_grad_enabled(False)
        return True

    before, modules = sys.getrecursionlimit(), set(sys.modules)
    traces(meddles, lambda: True, changes={"a module appears": module_appears})

    assert SWITCH not in os.environ
    assert sys.getrecursionlimit() == before
    assert set(sys.modules) == modules
    assert sys.getprofile() is None
    assert torch.is_grad_enabled()
