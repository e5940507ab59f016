"""Silent losses: what the watch sees, what the differential proves, and what is none."""

from __future__ import annotations

import itertools
import logging
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import nn
from torch._dynamo import config

from graphaudit._dynamo import hooks, machine, notes, restore, watched
from graphaudit._dynamo.passes import Plan, run
from graphaudit._dynamo.silent import Silent
from graphaudit._dynamo.visible import target_modules
from graphaudit._target.factory import Settings, inputs_of
from tests.dynamo import silent_entries as entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit.model import Event


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the environment as it was; Dynamo's word on caches is not ours to test.

    A child has imported one target: what other tests have imported is none of it.
    """
    for module in target_modules():
        if module.__name__ not in (__name__, entries.__name__):
            monkeypatch.delitem(sys.modules, module.__name__, raising=False)
    monkeypatch.setenv(entries.NAME, "2")
    monkeypatch.setattr(torch._dynamo.utils, "warn_once", lambda *_args, **_more: None)
    yield
    torch.compiler.reset()


def found(factory: Callable[[], Any], **settings: Any) -> list[Event]:
    """Trace an entry as a scan does, and find its losses."""
    silent = Silent(factory, Settings(**settings))
    plan = Plan(verdict="default", warm=silent.settings.repeat, fake=silent.settings.fake)
    with machine.prepared(fake=plan.fake), silent.watch.installed():
        run(plan, silent.watch.following(inputs_of(factory)))
    (events,) = silent.losses()
    return list(events)


def short(events: list[Event]) -> list[tuple[str, str, str]]:
    """Shorten events to effect, kind and what it is about."""
    return [
        (event.effect, event.causes[0].gb_type, event.causes[0].context.rpartition(".")[2])
        for event in events
    ]


DIFFERS = "Result differs from eager"
LOST = [
    (entries.environment, "stale", notes.ENVIRONMENT, entries.NAME),
    (entries.changed_environment, "stale", notes.ENVIRONMENT, entries.NAME),
    (entries.generator_again, "stale", notes.RANDOM, "random"),
    (entries.missing_environment, "stale", notes.ENVIRONMENT, entries.NAME),
    (entries.generator, "stale", notes.RANDOM, "random"),
    (entries.cached, "side_effect_lost", notes.CACHED, "counted"),
    (entries.cached_noise, "stale", notes.CACHED, "noise"),
    (entries.hook, "side_effect_lost", notes.COMPILING, "grab"),
    (entries.one_of_two, "stale", notes.COMPILING, "asks_twice"),
    (entries.assumed, "side_effect_lost", notes.ASSUMED, "constant"),
    (entries.in_graph, "side_effect_lost", notes.IN_GRAPH, "opaque"),
    (entries.hook_later, "stale", DIFFERS, "result"),
    (entries.method_later, "stale", DIFFERS, "result"),
    (entries.recursion_limit, "stale", DIFFERS, "result"),
    (entries.order, "side_effect_lost", "State differs from eager", "held"),
]
NOTHING = [
    entries.guarded_environment,
    entries.seeded_generator,
    entries.pure_cached,
    entries.same_either_way,
    entries.random_inputs,
    entries.counter,
    entries.global_counter,
    entries.trained,
    entries.constant_that_is_one,
    entries.harmless_in_graph,
]
BESIDE: list[tuple[Callable[[nn.Module, torch.Tensor], torch.Tensor], list[str]]] = [
    (lambda module, x: module(x), [DIFFERS]),
    (lambda module, x: entries.asks_for_nothing(module(x)), [DIFFERS]),
    (lambda module, x: module(x) * entries.halved(3), [DIFFERS]),
    (lambda module, x: module(x) * entries.limit(), [DIFFERS]),
    (lambda module, x: entries.twice(module(x)), [DIFFERS]),
    (lambda module, x: entries.opaque(module(x)), [notes.IN_GRAPH, DIFFERS]),
    (lambda module, x: entries.reads_environment(module(x)), [notes.ENVIRONMENT, DIFFERS]),
    # its constant is in each later result
    (lambda module, x: module(x) * entries.constant(), [notes.ASSUMED]),
]


@pytest.mark.parametrize(("factory", "effect", "kind", "what"), LOST)
def test_loss_is_found_once(factory: Callable[[], Any], effect: str, kind: str, what: str) -> None:
    """Each kind has its effect, and names what it is about."""
    assert short(found(factory)) == [(effect, kind, what)]


@pytest.mark.parametrize("factory", NOTHING)
def test_look_alike_loses_nothing(factory: Callable[[], Any]) -> None:
    """What gives the same as eager is no finding."""
    assert found(factory) == []


@pytest.mark.parametrize(("call", "kinds"), BESIDE)
def test_no_other_place_takes_the_blame(
    call: Callable[[nn.Module, torch.Tensor], torch.Tensor], kinds: list[str]
) -> None:
    """A hook is lost beside each; what is harmless is not named, what is not, explains its own."""
    events = found(lambda: entries.later(call))
    assert [event.causes[0].gb_type for event in events] == kinds


def test_clock_is_no_difference() -> None:
    """The compiled run came before the second was full, all eager runs after it."""
    runs = itertools.count()
    cache = {"refreshed": 0}

    def factory() -> Any:
        second = min(next(runs), 2)

        @torch.compiler.disable
        def stamp() -> None:
            cache["refreshed"] = second

        def call(x: torch.Tensor) -> torch.Tensor:
            x = entries.asks_for_nothing(x)
            stamp()
            return x

        return call, entries.ones()

    assert found(factory) == []
    assert next(runs) == 7  # the pass, compiled, four in eager, compiled again


def test_line_is_the_users() -> None:
    """The line is where the target asks, not where the library reads."""
    (event,) = found(entries.environment)
    assert event.stack[-1].source == 'return x * int(os.getenv(NAME, "2"))'
    (event,) = found(entries.hook)
    assert event.stack[-1].source == "if torch.compiler.is_compiling():"


def test_question_that_matters_is_told_from_the_one_beside_it() -> None:
    """An eager run that hears "compiling" at one line shows which line it is."""
    (event,) = found(entries.one_of_two)
    assert event.stack[-1].source.startswith("return x if torch.compiler.is_dynamo_compiling()")


def test_difference_is_told() -> None:
    """The reader sees what differs, and at which input."""
    for factory in (entries.assumed, entries.in_graph):
        (event,) = found(factory)
        assert "After the calls `STATE['n']` is " in event.causes[0].explanation
    (event,) = found(entries.hook)
    assert event.causes[0].explanation.endswith("`SEEN` is {}, in eager {'h'}.")
    (event,) = found(entries.hook_later)
    assert event.input == 1


@pytest.mark.parametrize(
    ("setting", "kind"),
    [
        ({"ignore_logging_functions": {print}}, notes.IGNORED),
        ({"reorderable_logging_functions": {print}}, notes.MOVED),
    ],
)
def test_message_is_lost(setting: dict[str, Any], kind: str) -> None:
    """A message that is not written, or says something else, is lost."""
    with config.patch(setting):
        assert short(found(entries.printing)) == [("side_effect_lost", kind, "print")]


def test_message_that_breaks_is_not_lost() -> None:
    """By default a print breaks the graph, and prints."""
    assert found(entries.printing) == []


@pytest.mark.parametrize(("level", "lost"), [(logging.INFO, True), (logging.WARNING, False)])
def test_log_message_is_lost_where_it_would_be_written(level: int, *, lost: bool) -> None:
    """A logger that is too quiet says nothing in eager either."""
    logger = logging.getLogger("tests.silent")
    logger.setLevel(level)

    def call(x: torch.Tensor) -> torch.Tensor:
        logger.info("rows %d", x.shape[0])
        return x + 1

    with config.patch(ignore_logging_functions={logging.Logger.info}):
        events = found(lambda: (call, entries.ones()))
    assert short(events) == [("side_effect_lost", notes.IGNORED, "info")] * lost


def asks_and_counts(calls: list[torch.Tensor]) -> Callable[[torch.Tensor], torch.Tensor]:
    """Make a callable that notes its eager calls."""

    def call(x: torch.Tensor) -> torch.Tensor:
        if not torch.compiler.is_compiling():
            calls.append(x)
        return x + 1

    return call


def test_lost_message_explains_what_a_handler_would_have_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The state that no message reached is no finding of its own."""
    logger, kept = logging.getLogger("tests.silent.kept"), list[str]()
    logger.setLevel(logging.INFO)
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", lambda record: kept.append(record.getMessage()))
    logger.addHandler(handler)

    def call(x: torch.Tensor) -> torch.Tensor:
        logger.info("rows")
        return x + len(kept)

    def factory() -> Iterator[Any]:
        kept.clear()
        yield call, entries.ones()
        yield call, entries.ones()

    with config.patch(ignore_logging_functions={logging.Logger.info}):
        events = found(factory)
    assert short(events) == [("side_effect_lost", notes.IGNORED, "info")]


def test_fake_tensors_are_not_compared() -> None:
    """They have no values, and a model of their size may not fit."""
    calls: list[torch.Tensor] = []
    call = asks_and_counts(calls)
    assert found(lambda: (call, entries.ones()), fake=True) == []
    assert calls == []


def test_input_is_called_once_where_it_may_not_be_repeated() -> None:
    """Each run takes a fresh input from the factory, as each pass does."""
    calls: list[torch.Tensor] = []
    call = asks_and_counts(calls)
    events = found(lambda: (call, entries.ones()), repeat=False)
    assert [effect for effect, *_ in short(events)] == ["side_effect_lost"]
    assert len({id(x) for x in calls}) == len(calls) > 0


def test_what_is_certain_needs_no_call() -> None:
    """A value without a guard is told of on fake tensors too."""
    assert short(found(entries.environment, fake=True)) == [
        ("stale", notes.ENVIRONMENT, entries.NAME)
    ]


def test_nothing_is_compared_where_nothing_is_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clean entry with one input costs no further call."""

    def refuse(*_args: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("graphaudit._dynamo.differential.Differential._run", refuse)
    assert found(lambda: (lambda x: x + 1, entries.ones())) == []
    assert short(found(entries.environment)) == [("stale", notes.ENVIRONMENT, entries.NAME)]


def test_state_is_as_the_passes_left_it() -> None:
    """What the runs change in the target's modules is put back."""
    silent = Silent(entries.cached, Settings())
    with machine.prepared(fake=False), silent.watch.installed():
        run(Plan(verdict="default"), silent.watch.following(inputs_of(entries.cached)))
    before = entries.STATE["n"]
    variables = dict(os.environ)
    assert silent.losses() != [()]
    assert (entries.STATE["n"], dict(os.environ)) == (before, variables)


def test_what_dynamo_keeps_in_a_module_is_left_to_it() -> None:
    """Dynamo installs globals beside the target's, and takes them back itself."""
    put_back = restore.kept()
    torch.compile(entries.reads_environment, backend="eager")(torch.ones(3))
    entries.SEEN["new"] = 1.0
    installed = {name for name in vars(entries) if name.startswith("__")}
    put_back()
    assert {name for name in vars(entries) if name.startswith("__")} == installed
    assert any("compiled_fn" in name for name in installed)
    assert "new" not in entries.SEEN


def test_each_callable_has_its_own_losses() -> None:
    """A factory that gives several callables makes several entries."""

    def factory() -> Iterator[Any]:
        yield entries.asks_for_nothing, entries.ones()
        yield entries.environment()

    silent = Silent(factory, Settings())
    with machine.prepared(fake=False), silent.watch.installed():
        run(Plan(verdict="fullgraph"), silent.watch.following(inputs_of(factory)))
    first, second = silent.losses()
    assert (short(list(first)), short(list(second))) == (
        [],
        [("stale", notes.ENVIRONMENT, entries.NAME)],
    )


def test_missing_hook_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch without one of them loses one kind, and says so."""
    monkeypatch.delattr(watched.functions, "invoke_and_store_as_constant")
    hooks.fault.cache_clear()
    try:
        assert hooks.losses(watched.HOOKS) == (
            "invoke_and_store_as_constant is gone: "
            "a function that is called in the trace alone is not seen",
        )
        assert short(found(entries.environment)) == [("stale", notes.ENVIRONMENT, entries.NAME)]
    finally:
        hooks.fault.cache_clear()
