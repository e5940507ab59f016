"""Calls of one form, eager and compiled: each starts from the same arguments and seeds.

A form may write to what it is given: what one call leaves there must not reach the next. What a
form keeps for itself, in a cache or a global variable, stays: that is what changes are about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from timeit import Timer
from typing import Any, Final

import torch

from graphaudit._dynamo import machine, restore, torch_state
from graphaudit._dynamo.answers import Given, given
from graphaudit._dynamo.coverage.graphs import Graphs
from graphaudit._dynamo.passes import Plan, compiled

_ROUNDS: Final = 5
_ROUND_S: Final = 0.001
_LONG_S: Final = 0.1

Form = Callable[..., Any]


def with_operator(form: Form) -> Form:
    """Call a form and run an operator: Dynamo makes no graph without one, and probes have none."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return form(*args, **kwargs), torch.ones(())

    return call


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """A form with its arguments."""

    form: Form
    graphed: Form
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def eager(self) -> Given:
        """Call it as it is."""
        return self._given(self.form)

    def compiled(self) -> Given:
        """Call what Dynamo makes of it."""
        return self._given(lambda *args, **kwargs: self.graphed(*args, **kwargs)[0])

    def _given(self, form: Form) -> Given:
        machine.seed()
        put_back = restore.kept_values(self.args, self.kwargs)
        try:
            return given(form, self.args, self.kwargs)
        finally:
            put_back()

    def nanoseconds(self) -> float | None:
        """Time a warm call, the best of a few rounds; one round where that takes long already.

        Returns:
            None where a call raises: a form need not bear to be called so often.
        """
        call = "form(*args, **kwargs)" if self.args or self.kwargs else "form()"
        names = {"form": self.form, "args": self.args, "kwargs": self.kwargs}
        put_back = restore.kept_values(self.args, self.kwargs)
        try:
            return _best(Timer(call, globals=names))
        # the target's code, which may raise anything
        except BaseException:  # noqa: BLE001
            return None
        finally:
            put_back()


def calls_of(form: Form, args: tuple[Any, ...], kwargs: dict[str, Any], plan: Plan) -> Calls:
    """Make the calls of a form; nothing is called yet.

    Args:
        form: What is called.
        args: With what.
        kwargs: With what by name.
        plan: How it is compiled.
    """
    torch_state.reset()
    return Calls(
        form=form,
        graphed=compiled(plan, with_operator(form), Graphs()),
        args=args,
        kwargs=kwargs,
    )


def _best(timer: Timer) -> float:
    calls = 1
    while (seconds := timer.timeit(calls)) < _ROUND_S:
        calls *= 4
    if seconds < _LONG_S:
        seconds = min(seconds, *timer.repeat(_ROUNDS - 1, calls))
    return seconds / calls * 1e9
