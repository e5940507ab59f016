"""Two runs of the same calls, and in what they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from graphaudit._dynamo.visible import Leaf, Leaves, is_fraction, same

STDOUT: Final = "stdout"


@dataclass(slots=True)
class Ran:
    """What the calls of one callable did."""

    call: Callable[..., Any]
    results: list[Leaves] = field(default_factory=list)  # by call
    inputs: list[int] = field(default_factory=list)  # by call
    state: Leaves = field(default_factory=dict)
    text: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that compiled code does otherwise than eager."""

    path: str
    input: int
    call: int | None  # counts from 0; None for state
    eager: Any
    compiled: Any


def comparable(one: Ran, other: Ran) -> bool:
    """Tell whether two runs came through the same calls."""
    return not one.failed and not other.failed and len(one.results) == len(other.results)


def different_results(compiled: Ran, eager: Ran) -> list[Difference]:
    """Give what differs in results, and in the text that was printed."""
    found = [
        Difference(
            path=path,
            input=eager.inputs[call],
            call=call,
            eager=theirs.get(path),
            compiled=ours.get(path),
        )
        for call, (ours, theirs) in enumerate(zip(compiled.results, eager.results, strict=True))
        for path in _differing(ours, theirs)
    ]
    if compiled.text != eager.text:
        found.append(
            Difference(path=STDOUT, input=0, call=0, eager=eager.text, compiled=compiled.text)
        )
    return found


def different_state(compiled: Ran, eager: Ran) -> list[Difference]:
    """Give what differs in the state that the calls left."""
    ours, theirs = compiled.state, eager.state
    return [
        Difference(path=path, input=0, call=None, eager=theirs.get(path), compiled=ours.get(path))
        for path in _differing(ours, theirs)
    ]


def _differing(ours: Leaves, theirs: Leaves) -> Iterator[str]:
    paths = dict.fromkeys((*theirs, *ours))
    return (path for path in paths if not same(ours.get(path), theirs.get(path)))


def is_repeated(one: Difference, ran: Ran, others: list[Ran]) -> bool:
    """Tell whether other runs give the same result, or leave the same state."""
    if one.path == STDOUT:
        return all(ran.text == other.text for other in others)
    given = _given(ran, one)
    return all(same(given, _given(other, one)) for other in others)


def _given(ran: Ran, one: Difference) -> Leaf | None:
    return (ran.state if one.call is None else ran.results[one.call]).get(one.path)


def is_new(ran: Ran, one: Difference) -> bool | None:
    """Tell whether each call with an input gave another fraction; None if only some did."""
    given = [
        result.get(one.path)
        for result, number in zip(ran.results, ran.inputs, strict=True)
        if number == one.input
    ]
    if not all(map(is_fraction, given)):
        return None
    changed = {not same(before, after) for before, after in pairwise(given)}
    return changed.pop() if len(changed) == 1 else None
