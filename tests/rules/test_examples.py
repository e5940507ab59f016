"""Every example of the manual does what the manual says, traced as a scan traces an entry."""

from __future__ import annotations

import sys
import sysconfig
import warnings
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from graphaudit._dynamo import passes
from graphaudit._dynamo.silent import Silent
from graphaudit._dynamo.verdicts import trace_entry
from graphaudit._protocol import Places
from graphaudit._target.factory import Settings
from graphaudit.collect import collect
from graphaudit.model import EntryPoint, Event, Trace
from graphaudit.rules import all_rules, rule_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

RULES = {rule.name: rule for rule in all_rules()}
BAD = [name for name, rule in RULES.items() if not rule.bad.mark]
PLAIN = [name for name, rule in RULES.items() if rule.bad.mark == "without fullgraph"]
SILENT = [name for name, rule in RULES.items() if rule.bad.mark == "silent"]
GOOD = [name for name, rule in RULES.items() if rule.good.mark != "not run"]
# A trace that goes on shows the jump that the number decides, and that is what a scan reports.
SHOWN_AS = {"data_dependent_guard": "branch_on_tensor"}


@pytest.fixture(autouse=True)
def _as_in_a_child(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A child compiles from nothing, has no debugger to stop in, and lets the target warn."""
    monkeypatch.setattr(sys, "breakpointhook", lambda: None)
    torch.compiler.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Example:
    """Trace examples in a folder of their own."""
    return Example(tmp_path, monkeypatch)


class Example:
    """An example as the entry of a scan."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Say where the file of the example is written."""
        self._root = root
        self._monkeypatch = monkeypatch

    def trace(self, code: str, **settings: Any) -> Trace:
        """Run the verdicts of one entry; nothing is collected yet."""
        path = self._root / "example.py"
        path.write_text(code, encoding="utf-8")
        defined = vars(self._imported(path))
        if "backend" in defined:
            self._put_behind_the_audit(defined["backend"])

        def factory() -> Iterator[tuple[Any, tuple[Any, ...]]]:
            for arguments in defined.get("inputs", [(torch.ones(3),)]):
                yield defined["f"], arguments

        entry = EntryPoint(id="example.py::f", path="example.py", line=1, name="f")
        settings["context"] = defined.get("context")
        given = Settings(**settings)
        silent = Silent(factory, given)
        (trace,) = trace_entry(entry, factory, given, silent.watch)
        (lost,) = silent.losses() if silent.is_needed else [()]
        return replace(trace, events=(*trace.events, *lost))

    def _imported(self, path: Path) -> ModuleType:
        """Import an example as a child imports a file: its module can be looked up."""
        spec = spec_from_file_location("manual_example", path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        self._monkeypatch.setitem(sys.modules, "manual_example", module)
        spec.loader.exec_module(module)
        return module

    def rules(self, trace: Trace, *events: Event) -> list[str]:
        """Name the rules of the sites that these events make."""
        (collected,) = collect([replace(trace, events=events)], self._places())
        return [rule_for(found).name for found in collected.breaks]

    def _places(self) -> Places:
        torch_folder = str(Path(torch.__file__).parent)
        stdlib = (sysconfig.get_path("stdlib"),)
        return Places(root=str(self._root), torch=torch_folder, stdlib=stdlib)

    def _put_behind_the_audit(self, backend: Any) -> None:
        """Let the audit's backend, which takes every graph, hand on to that of the example."""

        class Behind(passes.Graphs):
            def __call__(self, graph: torch.fx.GraphModule, inputs: Any, **options: Any) -> Any:
                super().__call__(graph, inputs, **options)
                return self.marked(backend(graph, inputs))

        self._monkeypatch.setattr(passes, "Graphs", Behind)


@pytest.mark.parametrize("name", BAD)
def test_bad_example_breaks_and_is_found_by_its_own_rule(name: str, example: Example) -> None:
    """The rule that shows an example takes what fullgraph raises, and what a scan reports."""
    trace = example.trace(RULES[name].bad.code)
    raised = trace.fullgraph_event
    assert raised is not None
    assert example.rules(trace, raised) == [name]
    assert _is_covered(name, raised)
    assert SHOWN_AS.get(name, name) in example.rules(trace, *trace.events)


@pytest.mark.parametrize("name", PLAIN)
def test_example_without_fullgraph_breaks_in_a_plain_compile_only(
    name: str, example: Example
) -> None:
    """Fullgraph captures what a plain compile breaks on."""
    trace = example.trace(RULES[name].bad.code, gate="default")
    assert trace.fullgraph.ok
    assert example.rules(trace, *trace.events) == [name]
    assert all(_is_covered(name, event) for event in trace.events)


@pytest.mark.parametrize("name", SILENT)
def test_silent_example_compiles_and_is_found_all_the_same(name: str, example: Example) -> None:
    """Nothing breaks: that is its danger."""
    trace = example.trace(RULES[name].bad.code, gate="default")
    assert trace.fullgraph.ok
    assert example.rules(trace, *trace.events) == [name]


@pytest.mark.parametrize("name", GOOD)
def test_good_example_is_one_graph(name: str, example: Example) -> None:
    """What the manual recommends passes under fullgraph."""
    trace = example.trace(RULES[name].good.code)
    assert (trace.fullgraph.ok, trace.failure, trace.message) == (True, None, "")


def test_few_examples_are_not_run() -> None:
    """The mark that spares an example from this test stays rare."""
    spared = {name for name, rule in RULES.items() if rule.bad.mark == "not run"}
    assert spared == {
        "async_collective",
        "break_in_block",
        "distributed_call",
        "opaque_object",
        "triton_kernel",
        "unknown_break",
        "user_error",
    }


def _is_covered(name: str, event: Event) -> bool:
    """Tell whether a page names the id or the type of the root cause."""
    root = event.causes[0]
    covers = RULES[name].covers
    return root.gb in {gb for gb, _ in covers if gb} or root.gb_type in {kind for _, kind in covers}
