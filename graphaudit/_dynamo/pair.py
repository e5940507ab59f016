"""Pairs: each form is traced as an entry is, then called, and called again after each change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from graphaudit._dynamo import machine
from graphaudit._dynamo.calls import Calls, calls_of, with_operator
from graphaudit._dynamo.collector import Collector
from graphaudit._dynamo.passes import Plan
from graphaudit._dynamo.reached import reached
from graphaudit._dynamo.verdicts import trace_entry
from graphaudit._target import ambient
from graphaudit._target.attributes import FactoryError
from graphaudit._target.context import UserContext
from graphaudit._target.factory import Settings
from graphaudit._target.package_state import state
from graphaudit._target.pair import PairSettings, pair_of
from graphaudit.model import Following, Form, FormName, Gate, Later, Trace

if TYPE_CHECKING:
    from graphaudit._dynamo.answers import Given
    from graphaudit.model import EntryPoint

FORMS: Final[tuple[FormName, ...]] = ("eager", "safe")

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
        return with_operator(getattr(pair, name)), pair.args, pair.kwargs

    def _as_entry(self) -> Settings:
        one = self.settings
        return Settings(
            options=one.options, context=one.context, fake=machine.is_fake(), repeat=False
        )

    def _form(self, name: FormName, verdict: Gate) -> Form:
        other: FormName = "safe" if name == "eager" else "eager"
        with machine.prepared(fake=machine.is_fake()):
            calls = self._calls(other, verdict)
            with UserContext(self.settings.context):
                others = calls.eager()
        with machine.prepared(fake=machine.is_fake()):
            calls = self._calls(name, verdict)
            with UserContext(self.settings.context):
                answers: list[Given] = []
                ran = reached(self.settings.watch, lambda: answers.append(calls.eager()))
                eager, answer = answers[0], calls.compiled()
                is_timed = not machine.is_fake() and not eager.told.raised
                cost = calls.nanoseconds() if is_timed else None
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

    def _later(self, name: FormName, verdict: Gate, words: str) -> Later:
        """Change something after the first call, and call again."""
        change = UserContext(self.settings.changes[words], f".changes[{words!r}]")
        collector = Collector()
        with machine.prepared(fake=machine.is_fake()):
            calls = self._calls(name, verdict)
            with UserContext(self.settings.context):
                before = calls.eager()
                calls.compiled()
                with change:
                    with collector.installed():
                        after = calls.compiled()
                    eager = calls.eager()
                    ambient.clear_caches()
                    fresh = calls.eager()
        return Later(
            change=words,
            following=_following(before, after, eager, fresh),
            eager=eager.told,
            compiled=after.told,
            fresh=fresh.told,
            recompiled=_failed_guard(collector),
        )

    def _calls(self, name: FormName, verdict: Gate) -> Calls:
        pair = pair_of(self.factory)
        plan = Plan(verdict=verdict, options=self.settings.options)
        return calls_of(getattr(pair, name), pair.args, pair.kwargs, plan)


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
