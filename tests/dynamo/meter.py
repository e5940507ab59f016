"""Measures calls of one callable as often as a test likes, with the parts that a pass uses."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo import exc

from graphaudit._dynamo.coverage.graphs import Graphs
from graphaudit._dynamo.coverage.measure import coverage_of
from graphaudit._dynamo.coverage.operators import Operator
from graphaudit._dynamo.coverage.recorder import Recorder
from graphaudit._dynamo.passes import Plan, compiled
from graphaudit._target.context import UserContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._target.factory import Input
    from graphaudit.model import Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The operators of one call."""

    operators: list[Operator]
    complete: bool  # False where the call raised


class Meter:
    """Measures calls of one callable on its compiled form."""

    def __init__(self, plan: Plan, call: Callable[..., Any]) -> None:
        """Compile a callable as the plan says."""
        torch.compiler.reset()
        self._plan = plan
        self._graphs = Graphs()
        self._compiled = compiled(plan, call, self._graphs)

    def measure(self, item: Input) -> Coverage | None:
        """Count the operators of a call: of its repetition where the plan has a warm call.

        Returns:
            None where Dynamo gave up, or where the target ran a profiler of its own.

        Raises:
            FactoryError: What the plan's context raised.
        """
        recorded = self.record(item)
        if recorded is None:
            return None
        return coverage_of(recorded.operators, complete=recorded.complete)

    def record(self, item: Input) -> Recorded | None:
        """Do the same, giving each operator."""
        if self._plan.warm and _gave_up(self._call(item, None)):
            return None
        recorder = Recorder()
        raised = self._call(item, recorder)
        if not recorder.whole or _gave_up(raised):
            return None
        return Recorded(operators=recorder.operators(self._graphs), complete=raised is None)

    def _call(self, item: Input, recorder: Recorder | None) -> BaseException | None:
        recording = recorder.recording() if recorder else nullcontext()
        with UserContext(self._plan.context), recording:
            try:
                self._compiled(*item.args, **item.kwargs)
            # the target's code may raise anything, SystemExit included; it is taken here, since
            # the user's context may swallow it
            except BaseException as error:  # noqa: BLE001
                return error
        return None


def _gave_up(raised: BaseException | None) -> bool:
    return isinstance(raised, exc.TorchDynamoException)
