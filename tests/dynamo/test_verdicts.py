"""Verdicts on whole entries, in this process."""

from __future__ import annotations

import os
import warnings
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import config
from torch.utils._python_dispatch import TorchDispatchMode

from graphaudit._dynamo.verdicts import trace_entry
from graphaudit._target.attributes import FactoryError
from graphaudit._target.factory import Settings
from graphaudit.model import EntryPoint, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENTRY = EntryPoint(id="audit.py::audit_f", path="audit.py", line=1, name="audit_f")
CALLS: list[int] = []


def traced(factory: Callable[[], Any], **settings: Any) -> Trace:
    """Trace a factory that gives one callable."""
    (trace,) = trace_entry(ENTRY, factory, Settings(**settings))
    return trace


def clean(x: torch.Tensor) -> torch.Tensor:
    """Break nowhere."""
    return x + 1


def breaks(x: torch.Tensor) -> torch.Tensor:
    """Break once."""
    torch._dynamo.graph_break()
    return x + 1


def numbers(x: torch.Tensor) -> Iterator[torch.Tensor]:
    """Be a generator: Dynamo compiles none."""
    yield x + 1


def fails(x: torch.Tensor) -> torch.Tensor:
    """Raise."""
    raise ValueError(x.shape)


def test_a_clean_entry_is_traced_once() -> None:
    """The fullgraph pass says everything."""
    trace = traced(lambda: (clean, (torch.ones(3),)))

    assert (trace.fullgraph.ok, trace.failure, trace.graphs, trace.events) == (True, None, 1, ())


def test_a_break_gives_both_verdicts() -> None:
    """The default trace shows the site, fullgraph what it stopped at."""
    trace = traced(lambda: (breaks, (torch.ones(3),)))

    assert (trace.fullgraph.ok, trace.fullgraph.gb, trace.failure) == (False, "GB0025", None)
    assert {event.verdict for event in trace.events} == {"default", "fullgraph"}


def test_an_entry_on_default_has_no_fullgraph_event() -> None:
    """It is allowed to break under fullgraph."""
    trace = traced(lambda: (breaks, (torch.ones(3),)), gate="default")

    assert {event.verdict for event in trace.events} == {"default"}


def test_what_a_plain_compile_leaves_to_eager_without_a_word_is_an_event() -> None:
    """No graph, no break, and fullgraph refuses."""
    trace = traced(lambda: (numbers, (torch.ones(3),)), gate="default")

    (event,) = trace.events
    assert (event.verdict, event.effect, trace.graphs) == ("default", "not_compiled", 0)
    assert event.causes[0].gb == "GB0003"


def test_an_error_counts_in_the_pass_that_gates() -> None:
    """The call raised outside a break."""
    trace = traced(lambda: (fails, (torch.ones(3),)))

    assert trace.failure == "error"
    assert trace.message.startswith("audit_f: ValueError")


def test_nothing_to_compile_is_said() -> None:
    """A clean verdict on nothing is no verdict."""
    trace = traced(lambda: (lambda: 1, ()), gate="default")

    assert trace.graphs == 0
    assert trace.message


def test_a_factory_that_changes_its_mind_is_named() -> None:
    """It is called once for each pass."""

    def audit() -> Iterator[Any]:
        CALLS.append(1)
        yield breaks, (torch.ones(3),)
        if len(CALLS) > 1:
            yield clean, (torch.ones(3),)

    CALLS.clear()
    with pytest.raises(FactoryError, match="gave 1 callables, then 2"):
        trace_entry(ENTRY, audit, Settings())


def test_a_factory_that_fails_late_is_an_error_and_not_fullgraph() -> None:
    """Something raised."""

    def audit() -> Iterator[Any]:
        yield clean, (torch.ones(3),)
        raise OSError("disk")

    trace = traced(audit)

    assert (trace.failure, trace.fullgraph.ok) == ("error", False)
    assert "the factory raised OSError: disk" in trace.message


@lru_cache(maxsize=1)
def cached_probe() -> bool:
    """Answer once, as engines do."""
    CALLS.append(1)
    return True


def test_caches_of_the_target_are_empty_at_the_start_of_each_pass() -> None:
    """An entry must not depend on those before it."""

    def audit() -> Any:
        cached_probe()
        return breaks, (torch.ones(3),)

    CALLS.clear()
    traced(audit)

    assert len(CALLS) == 2


class Passing(TorchDispatchMode):
    """Hands on each operator; while it is held, Dynamo compiles nothing."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operator."""
        del types
        return func(*args, **(kwargs or {}))


def test_a_later_input_that_is_left_to_eager_is_an_event() -> None:
    """Whatever the first gave."""

    def audit() -> Iterator[Any]:
        yield clean, (torch.ones(3),)
        with Passing():
            yield clean, (torch.ones(3, 4),)

    trace = traced(audit, gate="default")

    assert [(event.input, event.effect) for event in trace.events] == [(1, "not_compiled")]


def test_state_of_the_process_is_put_back() -> None:
    """What Python, torch and Dynamo keep for all."""
    folder, filters = Path.cwd(), list(warnings.filters)

    def audit() -> Any:
        os.chdir("/")
        os.environ["GRAPHAUDIT_TEST_LEAK"] = "1"
        warnings.simplefilter("ignore")
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        torch.use_deterministic_algorithms(True)
        torch.set_autocast_enabled("cpu", True)
        torch.compiler.set_stance("force_eager")
        Passing().__enter__()
        config.suppress_errors = True
        return clean, (torch.ones(3),)

    traced(audit)

    assert Path.cwd() == folder
    assert "GRAPHAUDIT_TEST_LEAK" not in os.environ
    assert list(warnings.filters) == filters
    assert torch.get_default_dtype() is torch.float32
    assert torch.is_grad_enabled()
    assert not torch.are_deterministic_algorithms_enabled()
    assert not torch.is_autocast_enabled("cpu")
    assert torch._C._len_torch_dispatch_stack() == 0
    assert config.suppress_errors is False
    assert traced(lambda: (clean, (torch.ones(3),))).graphs == 1


def identity(x: torch.Tensor) -> torch.Tensor:
    """Do nothing that Dynamo could take into a graph."""
    return x


@pytest.mark.parametrize(
    ("call", "stance", "measure", "message"),
    [
        (identity, "default", True, "no graph was made: no operator ran"),
        (identity, "force_eager", True, "no graph was made: the stance is force_eager"),
        (clean, "force_eager", False, "no graph was made"),
    ],
)
def test_without_a_graph_the_message_says_what_is_known(
    call: Callable[..., Any], stance: str, measure: bool, message: str
) -> None:
    """That there was nothing to compile is said only where no operator ran."""

    def audit() -> Any:
        torch.compiler.set_stance(stance)
        return call, (torch.ones(3),)

    (trace,) = trace_entry(ENTRY, audit, Settings(gate="default"), measure=measure)

    assert (trace.graphs, trace.message) == (0, message)


def tokens(x: torch.Tensor) -> Iterator[torch.Tensor]:
    """Give what depends on data."""
    for _ in range(2):
        token = x.argmax().item()
        if token == 99:
            return
        yield x + token


def reads_tokens(x: torch.Tensor) -> torch.Tensor:
    """Have Dynamo give up the generator."""
    return torch.stack([one for one in tokens(x)])  # noqa: C416 - a frame of its own


def test_one_entry_does_not_change_what_the_next_shows() -> None:
    """Dynamo marks a generator that it gave up, and would never look at it again."""
    first = traced(lambda: (tokens, (torch.ones(3),)))

    traced(lambda: (reads_tokens, (torch.ones(3),)))
    again = traced(lambda: (tokens, (torch.ones(3),)))

    assert first.fullgraph.gb == "GB0003"
    assert again.events == first.events
