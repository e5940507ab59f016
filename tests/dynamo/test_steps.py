"""A whole scan of entries, as far as it goes, leaves Dynamo as it was."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import config, eval_frame
from torch._dynamo.callback import callback_handler
from torch._dynamo.utils import counters

from graphaudit._dynamo.steps import steps
from graphaudit._target.factory import Settings
from graphaudit.model import DEEPEST, EntryPoint
from tests.dynamo import silent_entries
from tests.scoring.masked.files import masked_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._target.factory import Input

# Dynamo warns of what it breaks on, once in a process
pytestmark = pytest.mark.filterwarnings("ignore")

(_SUBJECTS,) = (file for file in masked_files() if file.path.stem == "subjects")
_NAMES = ("tries", "withs", "generators", "deep", "stateful", "misc")
_NUMBER = re.compile(r"0x\w+|(?<=masked_subjects_)\d+")
_LOSSES = (silent_entries.environment, silent_entries.guarded_environment, silent_entries.trained)


def plain(given: Input) -> dict[str, Any]:
    """Compile and call twice without us: the graphs, and what Dynamo counts."""
    torch.compiler.reset()
    counters.clear()
    graphs: list[str] = []

    def backend(graph: torch.fx.GraphModule, _inputs: Any) -> Callable[..., Any]:
        graphs.append(graph.code)
        return graph.forward

    compiled = torch.compile(given.call, backend=backend)
    for _ in range(2):
        with suppress(Exception):
            compiled(*given.args, **given.kwargs)
    counted: dict[str, Any] = {name: dict(counters[name]) for name in ("frames", "stats")}
    # a text may name an object by its address, or the copy of the file
    counted["breaks"] = Counter(_NUMBER.sub("N", text) for text in counters["graph_break"])
    return {"graphs": graphs, **counted}


def settings_of_dynamo() -> list[Any]:
    """Give what holds for the whole process."""
    return [
        config.get_config_copy(),
        eval_frame._stance,
        list(callback_handler.start_callbacks),
        list(callback_handler.end_callbacks),
        torch._C._len_torch_dispatch_stack(),
        torch.is_grad_enabled(),
    ]


def test_torch_compile_is_as_before() -> None:
    """The same graphs, text for text, and the same breaks, frames and operators."""
    before = [plain(_SUBJECTS.call(name)) for name in _NAMES]
    stood = settings_of_dynamo()

    seen: set[str] = set()
    for name in _NAMES:
        seen |= scanned(name, partial(given, name))
    for factory in _LOSSES:
        seen |= scanned(factory.__name__, factory)

    assert seen >= {"trace", "see-through", "stale", "recompile", "frame_dropped"}
    assert settings_of_dynamo() == stood
    for name, one in zip(_NAMES, before, strict=True):
        assert plain(_SUBJECTS.call(name)) == one, name


def given(name: str) -> tuple[Any, ...]:
    """Do as a factory does."""
    item = _SUBJECTS.call(name)
    return item.call, item.args, item.kwargs


def scanned(name: str, factory: Callable[[], Any]) -> set[str]:
    """Take every step; give what kinds of events the last one has, and who saw them."""
    entry = EntryPoint(id=f"audit.py::{name}", path="audit.py", line=1, name=name)
    *_, (traces, step) = steps(entry, factory, Settings(gate="default"), DEEPEST)
    assert step is None
    events = [event for trace in traces for event in trace.events]
    return {word for event in events for word in (event.effect, event.seen_by)}
