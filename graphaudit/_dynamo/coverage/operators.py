"""From the profiler's events to operators: which are outermost, where, and in a graph or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import torch
from torch._dynamo import convert_frame

from graphaudit._dynamo.coverage import engine, graphs
from graphaudit._dynamo.stacks import DYNAMO, OURS

_OPERATOR: Final = re.compile(r"(?!profiler::)[\w.]+::[\w.]+")
_FRAME: Final = re.compile(r"(.*)\((\d+)\): (.*)", re.DOTALL)
_NODE: Final = torch._C._profiler.RecordScope.BACKWARD_FUNCTION.value
_CALL: Final = torch._C._profiler.RecordScope.FUNCTION.value  # a range of the user's is none
_NOT_THE_PROGRAM: Final = (DYNAMO, torch._compile.__file__, engine.__file__)
_ENGINE: Final = "autograd::engine::evaluate_function"

Where = Literal["graph", "eager", "compiling"]
Frames = tuple[tuple[str, int], ...]  # path and line, outermost first


@dataclass(frozen=True, slots=True)
class Operator:
    """One outermost call into the dispatcher."""

    name: str  # "aten::matmul"
    where: Where
    frames: Frames = ()  # from the entry's callable down
    functions: tuple[str, ...] = ()  # the name of each frame's code, Dynamo's resume functions too


@dataclass(frozen=True, slots=True)
class _Place:
    """What a Python stack says about an operator."""

    where: Where
    frames: Frames = ()
    functions: tuple[str, ...] = ()


def operators_of(
    threads: Sequence[Iterable[Any]], of_graph: Callable[[int], bool]
) -> list[Operator]:
    """Find the operators in what the profiler recorded.

    Args:
        threads: The events of each thread, in order.
        of_graph: Tells whether a graph made the autograd node of a number.
    """
    read = [_Thread(of_graph) for _ in threads]
    for thread, events in zip(read, threads, strict=True):
        thread.read(events)
    runs = [run for thread in read for run in thread.runs]
    places: dict[tuple[str, ...], _Place] = {}
    operators = []
    ran = [found for thread in read for found in thread.found]
    for found in sorted(ran, key=lambda found: found.at_us):
        stack = found.stack or _stack_of_engine(runs, found.at_us)
        place = places.get(stack) or places.setdefault(stack, _read(stack))
        where = "graph" if found.in_backward_of_graph else place.where
        operators.append(Operator(found.name, where, place.frames, place.functions))
    return operators


@dataclass(frozen=True, slots=True)
class _Found:
    """An operator whose stack is yet to be read."""

    name: str
    stack: tuple[str, ...]  # innermost first
    at_us: float
    in_backward_of_graph: bool


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of the autograd engine."""

    stack: tuple[str, ...]
    from_us: float
    to_us: float


@dataclass(slots=True)
class _Thread:
    """Walks the events of one thread, in which ranges open and close."""

    of_graph: Callable[[int], bool]
    found: list[_Found] = field(default_factory=list)
    runs: list[_Run] = field(default_factory=list)
    # what is open, by handle: operators, runs of the engine, and what it is at: autograd nodes
    operators: set[int] = field(default_factory=set)
    starts: dict[int, Any] = field(default_factory=dict)
    nodes: dict[int, int] = field(default_factory=dict)

    def read(self, events: Iterable[Any]) -> None:
        """Find the outermost operators, and the runs of the engine."""
        for event in events:
            kind, handle = event.kind(), event.handle()
            if kind == "pop":
                self._closed(event, handle)
            elif kind == "push" and not self.operators:
                self._opened(event, handle)

    def _opened(self, event: Any, handle: int) -> None:
        name = event.name()
        if name == engine.RUN:
            self.starts[handle] = event
        elif name.startswith(_ENGINE):
            self.nodes[handle] = -1
        elif event.scope() == _NODE and self.nodes:
            self.nodes[next(reversed(self.nodes))] = event.sequence_nr()
        elif event.scope() == _CALL and _OPERATOR.fullmatch(name):
            self.operators.add(handle)
            of_graph = any(map(self.of_graph, self.nodes.values()))
            self.found.append(_Found(name, tuple(event.stack()), event.start_us(), of_graph))

    def _closed(self, event: Any, handle: int) -> None:
        self.operators.discard(handle)
        self.nodes.pop(handle, None)
        start = self.starts.pop(handle, None)
        if start is not None:
            self.runs.append(_Run(tuple(start.stack()), start.start_us(), event.start_us()))


def _stack_of_engine(runs: list[_Run], at_us: float) -> tuple[str, ...]:
    """Give the stack of the engine's run at a time: its own threads have no Python frames."""
    around = [run.stack for run in runs if run.from_us <= at_us <= run.to_us]
    return around[0] if around else ()


def _read(stack: tuple[str, ...]) -> _Place:
    """Read a stack, innermost first: the frames above the one of ours that made the call.

    A hook of ours may stand between Dynamo and what it dispatches while it compiles.
    """
    frames: list[tuple[str, int]] = []
    functions: list[str] = []
    is_below_us = False
    for found in filter(None, map(_FRAME.fullmatch, stack)):
        path, line = found[1], int(found[2])
        if path == convert_frame.__file__:
            return _Place("compiling")
        if path == graphs.__file__ and not is_below_us:
            return _Place("graph")
        is_below_us |= path.startswith(OURS) and path != engine.__file__
        if not is_below_us and not path.startswith(_NOT_THE_PROGRAM):
            frames.append((path, line))
            functions.append(found[3])
    return _Place("eager", tuple(reversed(frames)), tuple(reversed(functions)))
