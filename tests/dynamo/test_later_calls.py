"""Further calls of the public cases, on one compiled callable: graphs, and what made them anew."""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from graphaudit._dynamo.passes import Outcome, Plan, run
from graphaudit._target.factory import Input
from tests.scoring.wrappers import case_files, constants, has_further_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

FOLDER = Path(__file__).parents[1] / "cases" / "public"
CASES = {path.stem: path for path in case_files(FOLDER) if has_further_inputs(path)}
# by case: the input that first recompiles, the line, what changed
RECOMPILES = {
    "008_cache_side_effect": (1, 'STATE["n"] = STATE["n"] + 1', "the number `STATE['n']`"),
    "061_module_counter": (1, "self.updates += 1", "the number `self.updates`"),
    "062_int_arg_recompiles": (1, "return (x + i) * i", "the number `i`"),
    "066_kv_cache_reassign": (1, "if fresh:", "the flag `fresh`"),
    "097_shape_dependent_path": (1, "def f(x):", "the size of `x`"),
    "108_optimizer_lr_recompile": (
        1,
        "OPT.step()  # B1",
        "the number `self.param_groups[...]['lr']`",
    ),
}


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """Cases change the environment and the generators, and may warn."""
    environment, state = dict(os.environ), random.getstate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    os.environ.clear()
    os.environ.update(environment)
    random.setstate(state)


@pytest.fixture
def case(request: pytest.FixtureRequest) -> ModuleType:
    """Import a case afresh."""
    spec = importlib.util.spec_from_file_location(f"later_{request.param}", CASES[request.param])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def trace(case: ModuleType) -> Outcome:
    """Run the default pass over the first call of a case and the later ones."""

    def inputs() -> Iterator[Input]:
        call, args, kwargs = case.make()
        yield Input(call=call, args=args, kwargs=kwargs)
        given: list[Input] = []

        def take(*args: Any, **kwargs: Any) -> None:
            given.append(Input(call=call, args=args, kwargs=kwargs))

        for _ in case.later(take, call):
            yield given.pop()

    (outcome,) = run(Plan(verdict="default"), inputs())
    return outcome


@pytest.mark.parametrize(("case", "name"), [(name, name) for name in CASES], indirect=["case"])
def test_graphs_of_each_call_are_those_that_were_observed(case: ModuleType, name: str) -> None:
    """A further input meets what the inputs before it have compiled."""
    expect = constants(CASES[name])["EXPECT"]
    outcome = trace(case)

    assert outcome.error is None
    assert outcome.graphs_of == [expect["graphs"], *(call["graphs"] for call in expect["later"])]


@pytest.mark.parametrize(
    ("case", "expected"), list(RECOMPILES.items()), indirect=["case"], ids=list(RECOMPILES)
)
def test_the_guard_that_failed_is_told(case: ModuleType, expected: tuple[int, str, str]) -> None:
    """Which call, which line of the user's, and what changed."""
    found = [event for event in trace(case).events if event.effect == "recompile"]
    first = found[0]
    mine = [place for place in (*first.above, *first.stack) if place.path == case.__file__]

    index, source, kind = expected
    assert (first.input, mine[-1].source) == (index, source)
    assert first.causes[0].gb_type == f"Recompilation: {kind}"
    assert torch.is_tensor(case.make()[1][0])
