"""The points of Dynamo where a see-through trace steps in. All are put back.

- `InstructionTranslatorBase.call_function`: calls of every kind, operands at hand.
- `dispatch_table` of every translator class (each has its own): all other instructions.
- `should_compile_partial_graph`: no speculation, so a break is raised where it happens.
- `log_graph_break`: the end of a trace that leaves one site to Dynamo (`target.py`). In such a
  trace Dynamo may split the graph, but not at what is done for real.
- `convert_frame.compile_frame`: whether one graph is asked for, and the way out.
  `ConvertFrame.__call__` and its like are no safe place: what Dynamo does would change.
- `exc.format_graph_break_message`: the fields that the text of a break is made of.
"""

from __future__ import annotations

import inspect
from contextlib import ExitStack, contextmanager, nullcontext
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import torch
from torch._dynamo import convert_frame, exc
from torch._dynamo.symbolic_convert import InstructionTranslator, InstructionTranslatorBase

from graphaudit._dynamo import causes
from graphaudit._dynamo.see_through.iterators import Positions
from graphaudit._dynamo.see_through.signals import Abort, skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.record import Record
    from graphaudit._dynamo.see_through.tracer import Tracer

_RETURNS: Final = frozenset({"RETURN_VALUE", "RETURN_CONST"})
_GUARD: Final = "break_graph_if_unsupported"
_INNER: Final = "inner_fn"  # its variable for the instruction that it guards
# the parameters that we rely on, from the first
_POINTS: Final = {
    "InstructionTranslatorBase.call_function": ("self", "fn", "args", "kwargs"),
    "InstructionTranslatorBase.should_compile_partial_graph": ("self",),
    "convert_frame.compile_frame": (
        "code",
        "globals",
        "locals",
        "builtins",
        "closure",
        "compiler_fn",
        "one_graph",
    ),
    "exc.format_graph_break_message": ("gb_type", "context", "explanation", "hints"),
}


def losses() -> tuple[str, ...]:
    """Name each point that this torch lacks; then no see-through trace is possible."""
    owners = {
        "InstructionTranslatorBase": InstructionTranslatorBase,
        "convert_frame": convert_frame,
        "exc": exc,
    }
    found = []
    for name, expected in _POINTS.items():
        owner, _, attribute = name.partition(".")
        point = getattr(owners[owner], attribute, None)
        if point is None:
            found.append(f"{name} is gone")
        elif tuple(inspect.signature(point).parameters)[: len(expected)] != expected:
            found.append(f"{name} takes other arguments than {expected}")
    tables = [cls for cls in _translator_classes() if "dispatch_table" not in vars(cls)]
    return (*found, *(f"{cls.__name__}.dispatch_table is gone" for cls in tables))


@contextmanager
def installed(tracer: Tracer, record: Record) -> Iterator[None]:
    """Hold the patches in place."""
    with ExitStack() as undo:
        for owner, name, value in _replacements(tracer, record):
            undo.enter_context(patch.object(owner, name, value))
        yield


def _replacements(tracer: Tracer, record: Record) -> Iterator[tuple[Any, str, Any]]:
    for cls in _translator_classes():
        handlers: Any = vars(cls)["dispatch_table"]
        yield cls, "dispatch_table", [one and _handler(one, tracer) for one in handlers]
        if "should_compile_partial_graph" in vars(cls):
            original = vars(cls)["should_compile_partial_graph"]
            yield cls, "should_compile_partial_graph", _no_partial_graph(original, tracer)
    base = InstructionTranslatorBase
    yield base, "call_function", _call_function(base.call_function, tracer)
    if tracer.target is not None:
        yield base, "log_graph_break", _log_graph_break(base.log_graph_break, tracer)
    yield convert_frame, "compile_frame", _compile_frame(convert_frame.compile_frame, tracer)
    remember = _format(exc.format_graph_break_message, record)
    yield exc, "format_graph_break_message", remember


def _translator_classes() -> list[type]:
    classes: list[type] = [InstructionTranslatorBase]
    for cls in classes:
        classes.extend(cls.__subclasses__())
    return classes


def _no_partial_graph(original: Callable[[Any], bool], tracer: Tracer) -> Callable[[Any], bool]:
    def should_compile_partial_graph(self: Any) -> bool:
        return tracer.may_split and original(self)

    return should_compile_partial_graph


def _call_function(original: Callable[..., None], tracer: Tracer) -> Callable[..., None]:
    def call_function(self: Any, fn: Any, args: Any, kwargs: Any) -> None:
        depth, grad, last = len(self.stack), torch.is_grad_enabled(), _last_node(self)
        positions = Positions(args)
        tracer.before_call(fn)
        began = tracer.begun(self)
        failure = tracer.failure_at(self)

        def put_back() -> None:
            del self.stack[depth:]
            positions.put_back()
            _drop_failed(self, last)
            torch._C._set_grad_enabled(grad)

        def go_on() -> None:
            put_back()
            self.push(tracer.call(self, failure, began, fn, args, kwargs))

        try:
            if failure is None:
                original(self, fn, args, kwargs)
                return
        # Dynamo may fail in any way
        except Exception as error:
            failure = error
            if not tracer.is_reason(self, error):
                tracer.watch(self, go_on)
                raise
        tracer.recover(self, failure, go_on)

    return call_function


def _handler(original: Callable[..., None], tracer: Tracer) -> Callable[..., None]:
    # the instruction itself, without the machinery that compiles what precedes a break
    code = getattr(original, "__code__", None)
    guarded = _GUARD in getattr(code, "co_qualname", "")
    plain: Any = original.__wrapped__ if guarded else original  # type: ignore[attr-defined]
    go_on = _going_on(original, plain, tracer)
    if guarded and tracer.target is not None:
        go_on = _with_inner(original, go_on)

    def handler(self: Any, inst: Any) -> None:
        if tracer.is_left_alone:
            original(self, inst)
            return
        if tracer.is_skipping:
            raise skipped()
        if type(self) is InstructionTranslator and inst.opname in _RETURNS:
            tracer.at_return(self, inst, plain)
        go_on(self, inst)

    return handler


def _going_on(
    original: Callable[..., None], plain: Callable[..., None], tracer: Tracer
) -> Callable[..., None]:
    """Make the instruction that is done for real where Dynamo cannot do it."""

    def go_on(self: Any, inst: Any) -> None:
        before = _Before(self)
        began = tracer.begun(self)
        is_jump = "JUMP" in inst.opname

        def step() -> None:
            before.put_back()
            tracer.instruction(self, failure, began, inst, plain)

        try:
            with tracer.kept_whole() if is_jump else nullcontext():
                plain(self, inst)
        # Dynamo may fail in any way
        except Exception as error:
            failure = error
            if not tracer.is_reason(self, error):
                tracer.watch(self, step)
                if is_jump and tracer.is_left_alone:
                    before.put_back()
                    original(self, inst)
                    return
                raise
        else:
            return
        tracer.recover(self, failure, step)

    return go_on


def _with_inner(guarded: Any, inner: Callable[..., None]) -> Callable[..., None]:
    """Copy the machinery around an instruction, for another instruction."""
    cells = dict(zip(guarded.__code__.co_freevars, guarded.__closure__, strict=True))
    cells[_INNER] = CellType(inner)
    return FunctionType(
        guarded.__code__, guarded.__globals__, guarded.__name__, None, tuple(cells.values())
    )


def _log_graph_break(original: Callable[..., None], tracer: Tracer) -> Callable[..., None]:
    def log_graph_break(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if tracer.is_left_alone and not tracer.is_stepping:
            raise Abort(None)

    return log_graph_break


def _compile_frame(original: Callable[..., Any], tracer: Tracer) -> Callable[..., Any]:
    def compile_frame(*args: Any, **kwargs: Any) -> Any:
        if tracer.is_stepping:
            return original(*args, **kwargs)
        tracer.enter(args[0])
        before, after = args[:6], args[7:]
        try:
            return original(*before, tracer.fullgraph, *after, **kwargs)
        except exc.SkipFrame as error:
            tracer.leave(error)
        # whatever ends the trace, no other code may take it for something else
        except Exception as error:
            raise Abort(error) from error

    return compile_frame


def _format(original: Callable[..., str], record: Record) -> Callable[..., str]:
    def format_graph_break_message(
        gb_type: str, context: str, explanation: str, hints: list[str]
    ) -> str:
        text = original(gb_type, context, explanation, hints)
        record.remember(text, causes.of_fields(gb_type, context, explanation, hints))
        return text

    return format_graph_break_message


class _Before:
    """What an instruction changes in its translator, kept to be put back if it fails."""

    __slots__ = ("blocks", "kw_names", "last", "managers", "positions", "stack", "tx")

    def __init__(self, tx: Any) -> None:
        self.tx = tx
        self.stack = tx.stack[:]
        self.kw_names = tx.kw_names
        self.blocks = tx.block_stack[:]
        self.managers = tx.active_generic_context_managers[:]
        self.last = _last_node(tx)
        # iteration and unpacking have one operand, delegation has the value sent on top of it
        self.positions = Positions(tx.stack[-2:])

    def put_back(self) -> None:
        """Set the translator back to before the instruction."""
        self.tx.stack[:] = self.stack
        self.tx.kw_names = self.kw_names
        self.tx.block_stack[:] = self.blocks
        self.tx.active_generic_context_managers[:] = self.managers
        self.positions.put_back()
        _drop_failed(self.tx, self.last)


def _last_node(tx: Any) -> Any:
    return next(iter(reversed(tx.output.graph.nodes)), None)


def _drop_failed(tx: Any, last: Any) -> None:
    """Erase the node that failed: it must not run besides the real step."""
    node = _last_node(tx)
    if node is None or node is last or node.op == "placeholder":
        return
    if "example_value" not in node.meta and not node.users:
        tx.output.graph.erase_node(node)
