"""The differential: the same calls compiled and in plain eager, from the same state and seeds.

What then differs, in results or in state, is a loss that Dynamo did not speak of. A second eager
run under other seeds tells what the program itself does not repeat: chance and clocks are compared
only where eager gives something new at each call and compiled code the same.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from graphaudit._dynamo import machine, restore, torch_state
from graphaudit._dynamo.coverage.graphs import Graphs
from graphaudit._dynamo.stock import COMPILE
from graphaudit._dynamo.visible import (
    Leaves,
    is_fraction,
    leaves_of,
    leaves_of_target,
    same,
)
from graphaudit._target.factory import Input, Settings, inputs_of, same_call

if TYPE_CHECKING:
    from collections.abc import Iterator

STDOUT: Final = "stdout"
_OTHER_SEEDS: Final = 1_000
_MANY: Final = 5  # enough that equal draws are no chance

Factory = Callable[[], Any]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a run calls: compiled or not, under which seeds, with what held around each call."""

    compiled: bool = False
    seeds: int = 0
    calls: int = 2  # of each input
    around: Callable[[], Any] = nullcontext


@dataclass(slots=True)
class Differential:
    """The runs of one entry, each done once and only when it is asked for."""

    factory: Factory
    settings: Settings
    _ran: dict[str, list[Ran]] = field(default_factory=dict)

    def differences(self, index: int) -> tuple[list[Difference], list[Difference]]:
        """Compare the calls of one callable.

        Returns:
            Differences in results, and in the state that the calls left; both empty where a run
            raised or the program does not do the same twice.
        """
        compiled, eager = self._of("compiled", index), self._of("eager", index)
        if compiled is None or eager is None or not _comparable(compiled, eager):
            return [], []
        results, state = _results(compiled, eager), _state(compiled, eager)
        if not results and not state:
            return [], []
        # one other run is not enough: two draws may be equal by chance
        names = ("other", "third", "fourth")
        others = [ran for name in names if (ran := self._of(name, index)) is not None]
        if len(others) < len(names) or not all(_comparable(eager, other) for other in others):
            return [], []
        steady = [one for one in results if _is_repeated(one, eager, others)]
        if not steady:
            steady = [one for one in results if self._is_frozen_or_thawed(one, index)]
        return steady, [one for one in state if _is_kept(one, eager, others)]

    def _is_frozen_or_thawed(self, one: Difference, index: int) -> bool:
        """Tell whether only one of eager and compiled code gives another fraction at each call."""
        if one.path == STDOUT:
            return False
        compiled, eager = self._of("compiled long", index), self._of("eager long", index)
        if compiled is None or eager is None:
            return False
        kinds = (_is_new(compiled, one), _is_new(eager, one))
        return kinds in ((False, True), (True, False))

    def changes(self, index: int, around: Callable[[], Any], found: list[Difference]) -> bool:
        """Tell whether eager, with something held around each call, differs in the same places."""
        eager = self._of("eager", index)
        changed = self._run(Way(around=around))
        if eager is None or index >= len(changed) or not _comparable(changed[index], eager):
            return False
        one = changed[index]
        paths = {difference.path for difference in (*_results(one, eager), *_state(one, eager))}
        return any(difference.path in paths for difference in found)

    def _of(self, name: str, index: int) -> Ran | None:
        ways = {
            "compiled": Way(compiled=True),
            "eager": Way(),
            "other": Way(seeds=_OTHER_SEEDS),
            "third": Way(seeds=2 * _OTHER_SEEDS),
            "fourth": Way(seeds=3 * _OTHER_SEEDS),
            "eager long": Way(seeds=_OTHER_SEEDS, calls=_MANY),
            "compiled long": Way(compiled=True, seeds=_OTHER_SEEDS, calls=_MANY),
        }
        if name not in self._ran:
            self._ran[name] = self._run(ways[name])
        ran = self._ran[name]
        return ran[index] if index < len(ran) and not ran[index].failed else None

    def _run(self, way: Way) -> list[Ran]:
        put_back = restore.kept()
        try:
            with machine.prepared(fake=False):
                return _Runner(way, self.settings).run(inputs_of(self.factory))
        finally:
            put_back()


class _Runner:
    """Calls the inputs of an entry in turn, as a pass does."""

    def __init__(self, way: Way, settings: Settings) -> None:
        self._way = way
        self._settings = settings
        self._ran: list[Ran] = []
        self._form: Callable[..., Any] = nullcontext
        self._input = 0
        self._calls = 0

    def run(self, inputs: Iterator[Input]) -> list[Ran]:
        try:
            for item in inputs:
                if not self._ran or not same_call(self._ran[-1].call, item.call):
                    self._begin(item)
                if not self._ran[-1].failed:
                    self._trace(item)
                self._input += 1
                # what the factory makes next must not depend on the seeds of the calls
                machine.seed(self._input)
        # the factory is the target's code; what it raises is told by a pass
        except Exception:  # noqa: BLE001
            if self._ran:
                self._ran[-1].failed = True
        return self._ran

    def _begin(self, item: Input) -> None:
        self._ran.append(Ran(item.call))
        self._input = 0
        self._form = item.call
        if self._way.compiled:
            torch_state.reset()
            self._form = COMPILE(item.call, backend=Graphs(), **self._settings.options)

    def _trace(self, item: Input) -> None:
        ran = self._ran[-1]
        try:
            # without `.repeat` an input is called once in a run, as in a pass
            for _ in range(self._way.calls if self._settings.repeat else 1):
                result = self._call(item, ran)
                ran.results.append(leaves_of(result=result))
                ran.inputs.append(self._input)
        # the target's code may raise anything; a pass tells it
        except BaseException:  # noqa: BLE001
            ran.failed = True
        ran.state = {
            **leaves_of_target(),
            **leaves_of(self=item.call, args=item.args, kwargs=item.kwargs),
        }

    def _call(self, item: Input, ran: Ran) -> Any:
        machine.seed(self._way.seeds + self._calls)
        self._calls += 1
        context = self._settings.context
        with ExitStack() as held:
            held.enter_context(_heard(ran))
            held.enter_context(context() if context else nullcontext())
            held.enter_context(self._way.around())
            return self._form(*item.args, **item.kwargs)


@contextmanager
def _heard(ran: Ran) -> Iterator[None]:
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(io.StringIO()):
        yield
    ran.text += text.getvalue()


def _comparable(one: Ran, other: Ran) -> bool:
    return not one.failed and not other.failed and len(one.results) == len(other.results)


def _results(compiled: Ran, eager: Ran) -> list[Difference]:
    found = [
        Difference(
            path=path,
            input=eager.inputs[call],
            call=call,
            eager=theirs.get(path),
            compiled=ours.get(path),
        )
        for call, (ours, theirs) in enumerate(zip(compiled.results, eager.results, strict=True))
        for path in (*theirs, *(path for path in ours if path not in theirs))
        if not same(ours.get(path), theirs.get(path))
    ]
    if compiled.text != eager.text:
        found.append(
            Difference(path=STDOUT, input=0, call=0, eager=eager.text, compiled=compiled.text)
        )
    return found


def _state(compiled: Ran, eager: Ran) -> list[Difference]:
    ours, theirs = compiled.state, eager.state
    return [
        Difference(path=path, input=0, call=None, eager=theirs.get(path), compiled=ours.get(path))
        for path in (*theirs, *(path for path in ours if path not in theirs))
        if not same(ours.get(path), theirs.get(path))
    ]


def _is_kept(one: Difference, eager: Ran, others: list[Ran]) -> bool:
    """Tell whether eager leaves the same state under other seeds."""
    return all(same(eager.state.get(one.path), other.state.get(one.path)) for other in others)


def _is_repeated(one: Difference, eager: Ran, others: list[Ran]) -> bool:
    """Tell whether eager gives the same result under other seeds."""
    if one.call is None or one.path == STDOUT:
        return all(eager.text == other.text for other in others)
    call, path = one.call, one.path
    given = eager.results[call].get(path)
    return all(same(given, other.results[call].get(path)) for other in others)


def _is_new(ran: Ran, one: Difference) -> bool | None:
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
