"""Every example of the manual does what the manual says, in the torch that is installed."""

from __future__ import annotations

import contextlib
import linecache
import re
import runpy
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from graphaudit.model import Break, Cause, Location
from graphaudit.rules import all_rules, rule_for

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = {rule.name: rule for rule in all_rules()}
BAD = [name for name, rule in RULES.items() if rule.bad.mark in {"", "without fullgraph"}]
SILENT = [name for name, rule in RULES.items() if rule.bad.mark == "silent"]
GOOD = [name for name, rule in RULES.items() if rule.good.mark != "not run"]

_MARKER = "*** While handling this graph break, another graph break occurred: ***"
_FRAME = re.compile(r'^ +File "(.+)", line (\d+), in', re.MULTILINE)
_GB = re.compile(r"/gb/gb(\d{4})\.html")
_CONTEXT = re.compile(r"Developer debug context:(.*?)(?:\n\n|\Z)", re.DOTALL)
_EXPLANATION = re.compile(r"Explanation:(.*?)\n  (?:Hint|Developer debug)", re.DOTALL)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    torch.compiler.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", BAD)
def test_bad_example_breaks_and_is_found_by_its_own_rule(name: str, tmp_path: Path) -> None:
    """The rule that shows an example also recognises its break."""
    rule = RULES[name]
    path = tmp_path / f"{name}.py"
    path.write_text(rule.bad.code, encoding="utf-8")
    with pytest.raises(BaseException) as caught:  # noqa: PT011 # breaks and errors of any kind
        _call(path, fullgraph=not rule.bad.mark)
    found = _break(caught.value, path)
    assert rule_for(found).name == name, found
    covers = {code for code, _ in rule.covers} | {gb_type for _, gb_type in rule.covers}
    assert covers & {found.causes[0].gb, found.causes[0].gb_type, type(caught.value).__name__}


@pytest.mark.parametrize("name", GOOD)
def test_good_example_is_one_graph(name: str, tmp_path: Path) -> None:
    """What the manual recommends passes under fullgraph."""
    path = tmp_path / f"{name}.py"
    path.write_text(RULES[name].good.code, encoding="utf-8")
    _call(path, fullgraph=True)


@pytest.mark.parametrize("name", [name for name in BAD if RULES[name].bad.mark])
def test_example_that_needs_plain_settings_passes_fullgraph(name: str, tmp_path: Path) -> None:
    """An example marked "without fullgraph" is clean under fullgraph."""
    path = tmp_path / f"{name}.py"
    path.write_text(RULES[name].bad.code, encoding="utf-8")
    _call(path, fullgraph=True)


@pytest.mark.parametrize("name", SILENT)
def test_silent_example_does_not_break(name: str, tmp_path: Path) -> None:
    """An example marked "silent" compiles: that is its danger."""
    path = tmp_path / f"{name}.py"
    path.write_text(RULES[name].bad.code, encoding="utf-8")
    _call(path, fullgraph=True)


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


def _call(path: Path, *, fullgraph: bool) -> None:
    example = runpy.run_path(str(path), run_name="manual_example")
    backend = example.get("backend", "eager")
    compiled = torch.compile(example["f"], fullgraph=fullgraph, backend=backend)
    # The plain settings, but a break raises instead of splitting the graph.
    strict = torch._dynamo.error_on_graph_break(not fullgraph)
    with strict, example.get("context", contextlib.nullcontext)():
        for arguments in example.get("inputs", [(torch.ones(3),)]):
            compiled(*arguments)


def _break(error: BaseException, path: Path) -> Break:
    frames = _FRAME.findall(str(error).partition("from user code:")[2])
    mine = [int(line) for file, line in frames if file == str(path)]
    line = mine[-1] if mine else 1
    source = linecache.getline(str(path), line).strip() if mine else ""
    deepest = frames[-1][0] if frames else str(path)
    return Break(
        verdict="fullgraph",
        fullgraph=True,
        input=0,
        warm=False,
        effect="error",
        causes=(_cause(error),),
        site=_place("x.py", line, source),
        library=None if deepest == str(path) else _place(_portable(deepest), 1, ""),
        count=1,
    )


def _cause(error: BaseException) -> Cause:
    text = str(error).partition("\nfrom user code:")[0].split(_MARKER)[0]
    gb = _GB.search(text)
    if type(error).__name__ != "Unsupported" or gb is None:
        return Cause(gb=None, gb_type=type(error).__name__, explanation=text)
    context, explanation = _CONTEXT.search(text), _EXPLANATION.search(text)
    return Cause(
        gb=f"GB{gb[1]}",
        gb_type=text.strip().partition("\n")[0],
        context=" ".join(context[1].split()) if context else "",
        explanation=" ".join(explanation[1].split()) if explanation else "",
    )


def _place(path: str, line: int, source: str) -> Location:
    return Location(path=path, line=line, end_line=line, column=1, qualname="f", source=source)


def _portable(path: str) -> str:
    before, found, after = path.rpartition("/site-packages/")
    return f"<site-packages>/{after}" if found else f"<stdlib>/{Path(before or path).name}"
