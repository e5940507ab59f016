"""Records the operators of a call with torch's oldest profiler, and gives way to any other."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from torch._C import _autograd
from torch._C._profiler import ProfilerConfig, ProfilerState, _ExperimentalConfig
from torch._dynamo.callback import callback_handler
from torch._dynamo.decorators import skip
from torch.autograd import profiler, profiler_legacy

from graphaudit._dynamo import hooks
from graphaudit._dynamo.coverage import engine
from graphaudit._dynamo.coverage.operators import Operator, operators_of
from graphaudit._dynamo.hooks import Hook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.coverage.graphs import Graphs

_LOSS: Final = "operators are not counted"
# what starts a profiler, as the classes that a program uses find it
_STARTS: Final = tuple(
    Hook(owner=owner, name=name, parameters=None, loss=_LOSS)
    for owner, name in (
        (profiler, "_prepare_profiler"),
        (profiler, "_enable_profiler"),
        (profiler_legacy, "_enable_profiler_legacy"),
    )
)
_OURS: Final = tuple(  # called, not wrapped
    Hook(owner=_autograd, name=name, parameters=None, loss=_LOSS)
    for name in ("_profiler_enabled", "_enable_profiler_legacy", "_disable_profiler_legacy")
)
HOOKS: Final = (*_STARTS, *_OURS, *engine.HOOKS)


@dataclass(slots=True)
class Recorder:
    """Records once. `whole` is False where another profiler was at work, or this one cannot be.

    In a first call nearly everything is dispatched by Dynamo while it compiles, and each stack
    there costs more than the operator: `pauses` leaves that out.
    """

    pauses: bool = False
    whole: bool = True
    _events: list[list[Any]] = field(default_factory=list)
    _on: bool = False

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what is dispatched, unless a profiler is at work already."""
        if any(map(hooks.fault, HOOKS)) or _autograd._profiler_enabled():
            self.whole = False
            yield
            return
        with ExitStack() as undo:
            undo.enter_context(hooks.installed(dict.fromkeys(_STARTS, self._giving_way)))
            undo.enter_context(engine.noted())
            undo.callback(self._stop)
            if self.pauses:
                undo.enter_context(self._pausing())
            self._start()
            yield

    def operators(self, graphs: Graphs) -> list[Operator]:
        """Give what was recorded."""
        return operators_of(self._events, graphs.own)

    def _start(self) -> None:
        settings = ProfilerConfig(
            ProfilerState.CPU,
            False,  # shapes
            False,  # memory
            True,  # the Python stack
            False,  # floating point operations
            False,  # modules
            _ExperimentalConfig(),
        )
        _autograd._enable_profiler_legacy(settings)
        self._on = True

    def _stop(self, _compilation: object = None) -> None:
        if self._on:
            self._on = False
            self._events += _autograd._disable_profiler_legacy()

    def _go_on(self, _compilation: object = None) -> None:
        if self.whole:
            self._start()

    @contextmanager
    def _pausing(self) -> Iterator[None]:
        """Stop while Dynamo compiles."""
        callback_handler.register_start_callback(self._stop)
        callback_handler.register_end_callback(self._go_on)
        try:
            yield
        finally:
            with suppress(ValueError):  # the target may have cleared all
                callback_handler.remove_start_callback(self._stop)
                callback_handler.remove_end_callback(self._go_on)

    def _giving_way(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def start_other(*args: Any, **kwargs: Any) -> Any:
            self._stop()
            self.whole = False
            return start(*args, **kwargs)

        # Dynamo looks at every frame that Python enters
        skip(start_other)
        return start_other
