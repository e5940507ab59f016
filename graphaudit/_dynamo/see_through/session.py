"""The calls of one see-through trace: the entry, then the frames that ran below real steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch._dynamo import exc

from graphaudit._dynamo import causes, stacks, torch_state
from graphaudit._dynamo.see_through import patches
from graphaudit._dynamo.see_through.below import Watcher
from graphaudit._dynamo.see_through.signals import Abort
from graphaudit._dynamo.see_through.tracer import Tracer
from graphaudit._dynamo.stock import COMPILE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch

    from graphaudit._dynamo.see_through.record import Record
    from graphaudit._dynamo.see_through.target import Target

_SPENT = "ran below a real step, and once more in another trace: not traced itself"
_INSIDE = "ran below a real step inside of a function transform: not traced itself"


class Session:
    """Traces calls, all into one record."""

    def __init__(
        self,
        record: Record,
        *,
        fullgraph: bool,
        options: dict[str, Any],
        target: Target | None = None,
        at_target: Callable[[Exception | None], None] | None = None,
    ) -> None:
        self._record = record
        self._watcher = Watcher(record)
        self._tracer = Tracer(record, self._watcher, fullgraph=fullgraph, target=target)
        self._options = options
        self._target = target
        self._at_target = at_target  # told what Dynamo raised there, if it raised anything

    def trace_entry(
        self, call: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        """Trace the call that was asked for."""
        self._trace(call, args, kwargs)
        if not self._tracer.has_traced:
            self._record.doubt_at(stacks.of_callable(call), "Dynamo traced no frame of this call")

    def trace_below(self) -> None:
        """Trace each function that ran below a real step and that no trace has been through."""
        while not self._is_over and (below := self._watcher.pop()) is not None:
            if below.is_spent or below.is_inside:
                why = _SPENT if below.is_spent else _INSIDE
                self._record.doubt_at(stacks.of_callable(below.function), why)
            else:
                self._watcher.give_state(below)
                with self._record.below(below.order, below.above):
                    self._trace(below.function, below.args, below.kwargs)
        self._tracer.doubt()

    def trace_inlined(self) -> None:
        """Trace the functions that the target is inlined in, one after the other, to show it."""
        target = self._target
        if target is None:
            return
        calls, left = target.calls, target.depth
        while calls and left:
            first, *rest = calls
            target.renew()
            self._watcher.give_state(first)
            with self._record.below(first.order, first.above):
                self._trace(first.function, first.args, first.kwargs)
            # how the next is called is known best from where it is inlined itself
            calls = target.calls or tuple(rest)
            left -= target.is_reached

    @property
    def _is_over(self) -> bool:
        """Whether Dynamo has shown the target, or failed to."""
        return bool(self._target and self._target.is_reached)

    def put_back(self) -> None:
        """Give the user's containers the content from before all traces."""
        self._tracer.put_back()

    def _trace(
        self, call: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        torch_state.reset()
        self._tracer.begin(call)
        # whether one graph is asked for is the tracer's: stock fullgraph knows of no second frame
        compiled = COMPILE(call, backend=_unchanged, **self._options)
        try:
            with patches.installed(self._tracer, self._record):
                compiled(*args, **kwargs)
        except Abort as abort:
            if self._is_over:
                if self._at_target is not None:
                    self._at_target(abort.error)
            elif abort.error is not None:
                self._stopped(abort.error, call)
        # the target's own, out of a frame that Dynamo left to Python
        except (Exception, SystemExit) as error:  # noqa: BLE001
            place = stacks.of_traceback(error) or stacks.of_callable(call)
            self._record.doubt_at(place, f"raised {_described(error)}")
        finally:
            self._tracer.close()
            torch_state.reset()

    def _stopped(self, error: Exception, call: Callable[..., Any]) -> None:
        self._record.note_stopped(error)
        self._watcher.forget_last_step()
        why = getattr(error, "why_stopped", None) or _described(error)
        draft = getattr(error, "noted_site", None)
        stack = draft.stack if draft else stacks.below_us(stacks.of_exception(error))
        self._record.doubt_at(stack or stacks.of_callable(call), why)


def _unchanged(graph: torch.fx.GraphModule, _inputs: Any, **_options: Any) -> Any:
    """Compile nothing; `mode` and `options` of torch.compile arrive as keywords."""
    return graph.forward


def _described(error: BaseException) -> str:
    if isinstance(error, exc.Unsupported):
        root = causes.chain(error.msg, {})[0]
        return f"{root.gb_type}: {root.context}" if root.context else root.gb_type
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
