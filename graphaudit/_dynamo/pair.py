"""Pairs: each form is traced as an entry is, then called, and called again after each change.

A form is called from a function of ours that runs an operator as well: probes have none, and
Dynamo makes no graph without one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from timeit import Timer
from typing import TYPE_CHECKING, Any, Final

import torch

from graphaudit._dynamo import machine, torch_state
from graphaudit._dynamo.answers import Given, given
from graphaudit._dynamo.collector import Collector
from graphaudit._dynamo.coverage.graphs import Graphs
from graphaudit._dynamo.passes import Plan, compiled
from graphaudit._dynamo.reached import reached
from graphaudit._dynamo.verdicts import trace_entry
from graphaudit._target import ambient
from graphaudit._target.attributes import FactoryError
from graphaudit._target.context import UserContext
from graphaudit._target.factory import Settings
from graphaudit._target.package_state import state
from graphaudit._target.pair import Pair, PairSettings, pair_of
from graphaudit.model import Following, Form, FormName, Gate, Later, Trace

if TYPE_CHECKING:
    from graphaudit.model import EntryPoint

FORMS: Final[tuple[FormName, ...]] = ("eager", "safe")
_ROUNDS: Final = 5
_ROUND_S: Final = 0.001
_LONG_S: Final = 0.1

Factory = Callable[[], Any]


def pair_traces(entry: EntryPoint, factory: Factory, settings: PairSettings) -> tuple[Trace, ...]:
    """Trace and call both forms of a pair.

    Args:
        entry: The pair.
        factory: Its function.
        settings: The function's attributes.

    Returns:
        A trace of each form, with what it answers.

    Raises:
        Exception: Whatever the factory raises, FactoryError included.
    """
    compared = _Compared(factory, settings)
    traces = tuple(compared.trace(entry, name) for name in FORMS)
    forms = [trace.form for trace in traces if trace.form]
    if not settings.may_raise and all(form.answer.raised and form.agrees for form in forms):
        raise FactoryError(
            f"both forms raise {forms[0].answer.text}, so there is no answer to compare; "
            "if that is meant, write .may_raise = True"
        )
    return traces


def _called(form: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return form(*args, **kwargs), torch.ones(())

    return call


@dataclass(frozen=True, slots=True)
class _Calls:
    """A form, eager and compiled, with its arguments."""

    eager: Callable[[], Any]
    compiled: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class _Compared:
    factory: Factory
    settings: PairSettings

    def trace(self, entry: EntryPoint, name: FormName) -> Trace:
        """Trace one form and call it."""
        own = replace(entry, id=f"{entry.id}[{name}]")
        (trace,) = trace_entry(own, partial(self._input, name), self._as_entry(), measure=False)
        verdict: Gate = "fullgraph" if trace.fullgraph.ok else "default"
        return replace(trace, form=self._form(name, verdict))

    def _input(self, name: FormName) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        pair = pair_of(self.factory)
        return _called(getattr(pair, name)), pair.args, pair.kwargs

    def _as_entry(self) -> Settings:
        one = self.settings
        return Settings(
            options=one.options, context=one.context, fake=machine.is_fake(), repeat=False
        )

    def _form(self, name: FormName, verdict: Gate) -> Form:
        other: FormName = "safe" if name == "eager" else "eager"
        others = self._eager(other)
        with machine.prepared(fake=machine.is_fake()):
            pair = pair_of(self.factory)
            calls = self._calls(pair, name, verdict)
            with UserContext(self.settings.context):
                answers: list[Given] = []
                ran = reached(self.settings.watch, lambda: answers.append(given(calls.eager)))
                eager, answer = answers[0], given(calls.compiled)
                is_timed = not machine.is_fake() and not eager.told.raised
                cost = _nanoseconds(getattr(pair, name), pair) if is_timed else None
        return Form(
            name=name,
            answer=eager.told,
            compiled=answer.told,
            same=answer.equals(eager),
            agrees=eager.equals(others),
            apart=eager.apart(others) or answer.apart(eager),
            nanoseconds=cost,
            reached=ran,
            later=tuple(self._later(name, verdict, words) for words in self.settings.changes),
            packages={one: state(one) for one in self.settings.packages},
        )

    def _eager(self, name: FormName) -> Given:
        with machine.prepared(fake=machine.is_fake()):
            pair = pair_of(self.factory)
            form = getattr(pair, name)
            with UserContext(self.settings.context):
                answer = given(lambda: form(*pair.args, **pair.kwargs))
        return answer

    def _later(self, name: FormName, verdict: Gate, words: str) -> Later:
        """Change something after the first call, and call again."""
        change = UserContext(self.settings.changes[words], f".changes[{words!r}]")
        collector = Collector()
        with machine.prepared(fake=machine.is_fake()):
            calls = self._calls(pair_of(self.factory), name, verdict)
            with UserContext(self.settings.context):
                before = given(calls.eager)
                given(calls.compiled)
                with change:
                    with collector.installed():
                        after = given(calls.compiled)
                    eager = given(calls.eager)
                    ambient.clear_caches()
                    fresh = given(calls.eager)
        return Later(
            change=words,
            following=_following(before, after, eager, fresh),
            eager=eager.told,
            compiled=after.told,
            fresh=fresh.told,
            recompiled=_failed_guard(collector),
        )

    def _calls(self, pair: Pair, name: FormName, verdict: Gate) -> _Calls:
        form = getattr(pair, name)
        torch_state.reset()
        plan = Plan(verdict=verdict, options=self.settings.options)
        graphed = compiled(plan, _called(form), Graphs())
        return _Calls(
            eager=lambda: form(*pair.args, **pair.kwargs),
            compiled=lambda: graphed(*pair.args, **pair.kwargs)[0],
        )


def _following(before: Given, compiled: Given, eager: Given, fresh: Given) -> Following:
    old, new = compiled.equals(before), compiled.equals(fresh)
    if fresh.equals(before):
        return "unchanged" if old and eager.equals(before) else "differs"
    if eager.equals(fresh):
        return "follows" if new else "stale" if old else "differs"
    if eager.equals(before):
        return "cached" if old else "ahead" if new else "differs"
    return "differs"


def _failed_guard(collector: Collector) -> str:
    seen = (one.causes[0] for one in collector.breaks if one.effect == "recompile")
    return next((cause.explanation for cause in seen), "")


def _nanoseconds(form: Callable[..., Any], pair: Pair) -> float:
    """Time a warm call, the best of a few rounds; one round where that takes long already."""
    call = "form(*args, **kwargs)" if pair.args or pair.kwargs else "form()"
    timer = Timer(call, globals={"form": form, "args": pair.args, "kwargs": pair.kwargs})
    calls = 1
    while (seconds := timer.timeit(calls)) < _ROUND_S:
        calls *= 4
    if seconds < _LONG_S:
        seconds = min(seconds, *timer.repeat(_ROUNDS - 1, calls))
    return seconds / calls * 1e9
