"""The exceptions of a trace, by what they mean to us; and our own two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from torch._dynamo import exc
from torch._dynamo.symbolic_convert import (
    InstructionTranslator,
    ReturnValueOp,
    SpeculationLogDivergence,
    YieldValueOp,
)
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

GRAPH_BREAKS: Final = (
    exc.Unsupported,
    exc.UserError,
    exc.UncapturedHigherOrderOpError,
    GuardOnDataDependentSymNode,
)
# how Dynamo's parts talk to each other: never a failure
_CONTROL: Final = (
    exc.RestartAnalysis,
    exc.SkipFrame,
    exc.StepUnsupported,
    exc.ResumePrologueTracingError,
    exc.ResetRequired,
    exc.BackendCompilerFailed,
    ReturnValueOp,
    YieldValueOp,
    SpeculationLogDivergence,
    StopIteration,
)
# what Dynamo's own Python code waits for: iteration, hasattr, getattr with a default, dict.get
_EXPECTED: Final = (
    exc.ObservedUserStopIteration,
    exc.ObservedAttributeError,
    exc.ObservedLookupError,
    exc.ObservedGeneratorExit,
)
_RAISING: Final = frozenset({"RAISE_VARARGS", "RERAISE", "FOR_ITER", "SEND"})


# A BaseException, so that no handler of Dynamo's or of the user's takes it for something else.
class Abort(BaseException):
    """Leaves the trace; `error` is what stopped it, None at its regular end."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__(error)
        self.error = error


class CannotGoOn(Exception):  # noqa: N818
    """A step cannot be done for real here; a frame further out may manage with its own call."""


class RaisesLate(CannotGoOn):
    """Python raises where Dynamo put off a read; `error` is for the handlers in the trace."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.error = error.with_traceback(None)  # Dynamo would try to wrap its frames


def is_reason(tx: Any, error: Exception) -> bool:
    """Tell whether a failure in a translator is one to do the step for real.

    Breaks are, and internal errors that Dynamo raises to its user. An exception that Dynamo's
    model of a builtin raises is one where no frame handles it: Python may not raise at all.
    """
    if isinstance(error, exc.ObservedException):
        return _is_doubtful(tx, error)
    return isinstance(error, GRAPH_BREAKS) or not isinstance(error, _CONTROL)


def is_control(error: Exception) -> bool:
    """Tell whether an exception is Dynamo talking to itself."""
    return isinstance(error, (*_CONTROL, exc.ObservedException))


def mark_real(error: exc.ObservedException) -> None:
    """Note that Python itself raised what a trace observes."""
    noted: Any = error
    noted.raised_for_real = True


def is_real(error: BaseException) -> bool:
    """Tell whether Python itself raised what a trace observes."""
    return bool(getattr(error, "raised_for_real", False))


def translators(leaf: Any) -> Iterator[Any]:
    """Give a translator and its parents, innermost first."""
    while leaf is not None:
        yield leaf
        leaf = getattr(leaf, "parent", None)


def skipped() -> exc.SkipFrame:
    """Make the exception that has Python run a frame."""
    error: Any = exc.SkipFrame("traced already")
    error.is_ours = True
    made: exc.SkipFrame = error
    return made


def codes_of(leaf: Any) -> tuple[CodeType, ...]:
    """Give the code of a translator and of its parents, innermost first."""
    return tuple(one.f_code for one in translators(leaf))


def _is_doubtful(tx: Any, error: exc.ObservedException) -> bool:
    if is_real(error) or tx.current_instruction.opname in _RAISING:
        return False
    if isinstance(error, _EXPECTED) and type(tx) is not InstructionTranslator:
        return False
    return all(one.current_instruction.exn_tab_entry is None for one in translators(tx))
