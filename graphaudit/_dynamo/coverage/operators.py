"""From the profiler's events to operators: which are outermost, where, and in a graph or not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import torch
from torch._dynamo import convert_frame

from graphaudit._dynamo.coverage import graphs
from graphaudit._dynamo.stacks import DYNAMO, OURS

_OPERATOR: Final = re.compile(r"(?!profiler::)[\w.]+::[\w.]+")
_FRAME: Final = re.compile(r"(.*)\((\d+)\): (.*)", re.DOTALL)
_NODE: Final = torch._C._profiler.RecordScope.BACKWARD_FUNCTION.value
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
    threads: Iterable[Iterable[Any]], of_graph: Callable[[int], bool]
) -> list[Operator]:
    """Find the operators in what the profiler recorded.

    Args:
        threads: The events of each thread, in order.
        of_graph: Tells whether a graph made the autograd node of a number.
    """
    places: dict[tuple[str, ...], _Place] = {}
    return [found for events in threads for found in _Thread(of_graph, places).read(events)]


@dataclass(slots=True)
class _Thread:
    """Walks the events of one thread: ranges open and close."""

    of_graph: Callable[[int], bool]
    places: dict[tuple[str, ...], _Place]
    open: set[int] = field(default_factory=set)  # operators, by handle
    engine: dict[int, int] = field(default_factory=dict)  # open runs of a node: handle to number

    def read(self, events: Iterable[Any]) -> Iterator[Operator]:
        """Give what is outermost."""
        for event in events:
            kind, handle = event.kind(), event.handle()
            if kind == "pop":
                self.open.discard(handle)
                self.engine.pop(handle, None)
            elif kind == "push" and not self.open:
                yield from self._entered(event, handle)

    def _entered(self, event: Any, handle: int) -> Iterator[Operator]:
        name = event.name()
        if event.scope() == _NODE and self.engine:
            self.engine[next(reversed(self.engine))] = event.sequence_nr()
        elif name.startswith(_ENGINE):
            self.engine[handle] = -1
        elif _OPERATOR.fullmatch(name):
            self.open.add(handle)
            place = self._place(tuple(event.stack()))
            where = "graph" if self._in_backward_of_graph() else place.where
            yield Operator(name, where, place.frames, place.functions)

    def _in_backward_of_graph(self) -> bool:
        return any(map(self.of_graph, self.engine.values()))

    def _place(self, stack: tuple[str, ...]) -> _Place:
        if stack not in self.places:
            self.places[stack] = _read(stack)
        return self.places[stack]


def _read(stack: tuple[str, ...]) -> _Place:
    """Read a stack, innermost first, up to the frame of ours that made the call."""
    frames: list[tuple[str, int]] = []
    functions: list[str] = []
    for text in stack:
        found = _FRAME.fullmatch(text)
        if found is None:
            continue
        path, line = found[1], int(found[2])
        if path == convert_frame.__file__:
            return _Place("compiling")
        if path == graphs.__file__:
            return _Place("graph")
        if path.startswith(OURS):
            break
        if not path.startswith(DYNAMO):
            frames.append((path, line))
            functions.append(found[3])
    return _Place("eager", tuple(reversed(frames)), tuple(reversed(functions)))
