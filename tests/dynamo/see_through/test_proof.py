"""Proof by stock Dynamo: every true site is shown, with what becomes of the frame."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch

from graphaudit._dynamo.see_through.proof import proof_of
from graphaudit._dynamo.see_through.record import preferred
from tests.scoring.masked.files import FOLDER, MaskedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.sight import SeenSite, Sight

# Dynamo warns of what it breaks on, once in a process
pytestmark = pytest.mark.filterwarnings("ignore:Dynamo does not know")

SUBJECTS = MaskedFile(FOLDER / "subjects.py")
EFFECTS = {"loops": {"frame_dropped"}, "disabled": {"frame_dropped"}, "routing": {"resumes"}}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SUBJECTS.names)
def test_every_site_of_the_subjects_is_proved(name: str, see: Callable[..., Sight]) -> None:
    """Each in a trace of its own, on its line, with its id."""
    given = SUBJECTS.call(name)
    sight = see(given.call, *given.args)

    proofs = [(site, proof(site, given.call, given.args)) for site in sight.sites]

    assert proofs
    for site, seen in proofs:
        assert seen is not None, preferred(site.stack)
        assert preferred(seen.stack).line == preferred(site.stack).line
        assert seen.causes[0].gb == site.causes[0].gb
    if name in EFFECTS:
        assert {seen.effect for _, seen in proofs} == EFFECTS[name]


def proof(site: SeenSite, call: Any, args: Any) -> Any:
    """Prove a site."""
    return proof_of(site, call, args, {}, options={})


def breaks(x: torch.Tensor) -> torch.Tensor:
    """Break three times, each in another way."""
    if x.sum() > 0:
        x = x + 1
    try:
        time.time()
        x = x * 2
    finally:
        x = x - 1
    torch._dynamo.graph_break()
    return x


def test_the_effect_is_stock_dynamos(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """A graph is split at a jump, and in a `try` the rest of the function runs eager."""
    found = [proof(site, breaks, (ones,)) for site in see(breaks, ones).sites]

    assert [(one.causes[0].gb, one.effect) for one in found] == [
        ("GB0170", "resumes"),
        ("GB0007", "rest_eager"),
        ("GB0025", "resumes"),
    ]


def test_a_site_that_is_not_there_has_no_proof(
    see: Callable[..., Sight], ones: torch.Tensor
) -> None:
    """Neither on another line nor for another reason."""
    *_, last = see(breaks, ones).sites
    (place,) = last.stack
    elsewhere = replace(last, stack=(replace(place, line=place.line + 1),))
    other = replace(last, causes=(replace(last.causes[0], gb="GB0059", gb_type="another"),))

    assert proof(last, breaks, (ones,)) is not None
    assert proof(elsewhere, breaks, (ones,)) is None
    assert proof(other, breaks, (ones,)) is None


def test_nothing_is_left_behind(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """Dynamo is as before: the same breaks, one by one."""
    site = see(breaks, ones).sites[-1]
    before = torch._dynamo.explain(breaks)(ones)
    proof(site, breaks, (ones,))
    after = torch._dynamo.explain(breaks)(ones)

    assert (before.graph_count, before.graph_break_count) == (
        after.graph_count,
        after.graph_break_count,
    )


@contextmanager
def scope() -> Iterator[None]:
    """Stand for what Dynamo cannot build at the end of a graph."""
    yield


def returns_a_manager(x: torch.Tensor) -> Any:
    """Break in a loop and at the return."""
    for _ in range(2):
        time.sleep(0)
    return x + 1, scope()


def test_a_break_at_the_return(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """A break before it does not hide it."""
    sight = see(returns_a_manager, ones)

    assert sight.stopped_at is None
    assert [preferred(site.stack).source for site in sight.sites] == [
        "time.sleep(0)",
        "return x + 1, scope()",
    ]
    for site in sight.sites:
        seen = proof(site, returns_a_manager, (ones,))
        assert (seen.causes[0].gb, seen.effect) == (site.causes[0].gb, "frame_dropped")


def give(kind: Callable[[], Any]) -> Any:
    """Make something outside the trace."""
    return kind()


@pytest.mark.parametrize("kind", [threading.Lock, scope, object, lambda: map(str, [1]), list])
def test_what_a_step_made_is_no_break_at_the_return(
    kind: Callable[[], Any], sites: Callable[..., list[str]], ones: torch.Tensor
) -> None:
    """It stands in a variable of the frame."""

    def returns(x: torch.Tensor) -> Any:
        made = torch.compiler.disable(give)(kind)
        return x + 1, made, [made]

    assert len(sites(returns, ones)) == 1
