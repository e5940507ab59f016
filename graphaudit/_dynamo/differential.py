"""The differential: the same calls compiled and in plain eager, from the same state and seeds.

What then differs, in results or in state, is a loss that Dynamo did not speak of. A second eager
run under other seeds tells what the program itself does not repeat: chance and clocks are compared
only where eager gives something new at each call and compiled code the same. A second compiled run
after all eager ones tells what is only later than before.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import (
    AbstractContextManager,
    ExitStack,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
)
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from graphaudit._dynamo import added_names, machine, restore, torch_state
from graphaudit._dynamo.compared import (
    STDOUT,
    Difference,
    Ran,
    comparable,
    different_results,
    different_state,
    is_new,
    is_repeated,
)
from graphaudit._dynamo.coverage.graphs import Graphs
from graphaudit._dynamo.stock import COMPILE
from graphaudit._dynamo.visible import leaves_of, leaves_of_target
from graphaudit._target.factory import Input, Settings, inputs_of, same_call

if TYPE_CHECKING:
    from collections.abc import Iterator

_OTHER_SEEDS: Final = 1_000
_MANY: Final = 5  # enough that equal draws are no chance

Factory = Callable[[], Any]
Around = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a run calls: compiled or not, under which seeds, with what held around each call."""

    compiled: bool = False
    seeds: int = 0
    calls: int = 2  # of each input
    around: Callable[[], Around] = lambda: nullcontext  # made for each callable


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
        if compiled is None or eager is None or not comparable(compiled, eager):
            return [], []
        results, state = different_results(compiled, eager), different_state(compiled, eager)
        if not results and not state:
            return [], []
        # one other run is not enough: two draws may be equal by chance
        names = ("other", "third", "fourth")
        others = [ran for name in names if (ran := self._of(name, index)) is not None]
        if len(others) < len(names) or not all(comparable(eager, other) for other in others):
            return [], []
        steady, left = (
            self._still_there([one for one in found if is_repeated(one, eager, others)], index)
            for found in (results, state)
        )
        if not steady:
            steady = [one for one in results if self._is_frozen_or_thawed(one, index)]
        return steady, left

    def _still_there(self, found: list[Difference], index: int) -> list[Difference]:
        """Keep what compiled code does once more: all else is the time that has passed."""
        compiled = self._of("compiled", index) if found else None
        again = self._of("compiled again", index) if found else None
        if compiled is None or again is None or not comparable(compiled, again):
            return []
        return [one for one in found if is_repeated(one, compiled, [again])]

    def _is_frozen_or_thawed(self, one: Difference, index: int) -> bool:
        """Tell whether only one of eager and compiled code gives another fraction at each call."""
        if one.path == STDOUT:
            return False
        compiled, eager = self._of("compiled long", index), self._of("eager long", index)
        if compiled is None or eager is None:
            return False
        kinds = (is_new(compiled, one), is_new(eager, one))
        return kinds in ((False, True), (True, False))

    def explained(
        self, index: int, way: Callable[[], Around], found: list[Difference]
    ) -> list[Difference]:
        """Give those differences that eager shows as well, once it goes the way of the trace."""
        eager = self._of("eager", index)
        changed = self._run(Way(around=way))
        if eager is None or index >= len(changed) or not comparable(changed[index], eager):
            return []
        one = changed[index]
        there = {
            (difference.path, difference.call)
            for difference in (*different_results(one, eager), *different_state(one, eager))
        }
        return [difference for difference in found if (difference.path, difference.call) in there]

    def _of(self, name: str, index: int) -> Ran | None:
        ways = {
            "compiled": Way(compiled=True),
            "compiled again": Way(compiled=True),
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
            with machine.prepared(fake=False), added_names.noted() as added:
                return _Runner(way, self.settings, added).run(inputs_of(self.factory))
        finally:
            put_back()


class _Runner:
    """Calls the inputs of an entry in turn, as a pass does."""

    def __init__(self, way: Way, settings: Settings, added: set[tuple[int, str]]) -> None:
        self._way = way
        self._around = way.around()
        self._added = added  # names that are Dynamo's
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
        self._around = self._way.around()
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
            **leaves_of_target(self._added),
            **leaves_of(self=item.call, args=item.args, kwargs=item.kwargs),
        }

    def _call(self, item: Input, ran: Ran) -> Any:
        machine.seed(self._way.seeds + self._calls)
        self._calls += 1
        context = self._settings.context
        with ExitStack() as held:
            held.enter_context(_heard(ran))
            held.enter_context(context() if context else nullcontext())
            held.enter_context(self._around())
            return self._form(*item.args, **item.kwargs)


@contextmanager
def _heard(ran: Ran) -> Iterator[None]:
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(io.StringIO()):
        yield
    ran.text += text.getvalue()
