"""The effect of a hidden site in an inlined function: the worst of all frames, as stock says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import graph_break

from graphaudit._dynamo.collector import Collector
from graphaudit._dynamo.see_through.proof import proof_of
from graphaudit.model import HARM, Effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight

    Say = Callable[[str], object]


def quiet(_text: str) -> None:
    """Mend a print."""


def looped(x: torch.Tensor, say: Say) -> torch.Tensor:
    """Break in a loop, behind another break."""
    for _ in range(2):
        say("a")
        graph_break()
    return x + 1


def tried(x: torch.Tensor, say: Say) -> torch.Tensor:
    """Break in a `try`."""
    x = x + 1
    x = x * 3
    try:
        say("a")
        graph_break()
    finally:
        x = x * 2
    return x


def straight(x: torch.Tensor, say: Say) -> torch.Tensor:
    """Break where the function resumes."""
    x = x * 2
    say("a")
    graph_break()
    return x + 1


class Layer(torch.nn.Module):
    """Has the loop in its forward."""

    def forward(self, x: torch.Tensor, say: Say) -> torch.Tensor:
        """Call it."""
        return looped(x, say) * 2


class Table:
    """Breaks at a subscript."""

    def __init__(self, x: torch.Tensor, say: Say) -> None:
        """Keep what the loop needs."""
        self.x, self.say = x, say

    def __getitem__(self, index: int) -> torch.Tensor:
        """Call it."""
        return looped(self.x, self.say) * index


LAYER = Layer()


def calls_loop(x: torch.Tensor, say: Say) -> torch.Tensor:
    """Stock resumes behind the call and drops the function."""
    return looped(x, say) * 2


def calls_deep(x: torch.Tensor, say: Say) -> torch.Tensor:
    """Two functions between."""
    return calls_loop(x, say) + 1


def calls_try(x: torch.Tensor, say: Say) -> torch.Tensor:
    """The rest of the called function is eager."""
    return tried(x, say) * 2


def calls_straight(x: torch.Tensor, say: Say) -> torch.Tensor:
    """All frames resume."""
    return straight(x, say) * 2


def calls_in_loop(x: torch.Tensor, say: Say) -> torch.Tensor:
    """The caller is dropped, what it calls is not."""
    for _ in range(2):
        x = straight(x, say) * 2
    return x


def calls_module(x: torch.Tensor, say: Say) -> Any:
    """Frames of torch's lie between."""
    return LAYER(x, say) * 2


def subscripts(x: torch.Tensor, say: Say) -> torch.Tensor:
    """The call is no call instruction."""
    return Table(x, say)[3] + 1


def second_call(x: torch.Tensor, say: Say) -> torch.Tensor:
    """The first call of the function does not come to the break."""
    return chosen(chosen(x, say, 0), say, 2) + 1


def chosen(x: torch.Tensor, say: Say, count: int) -> torch.Tensor:
    """Break as often as is asked for."""
    for _ in range(count):
        say("a")
        graph_break()
    return x + 1


CALLERS = (
    looped,
    calls_loop,
    calls_deep,
    calls_try,
    calls_straight,
    calls_in_loop,
    calls_module,
    subscripts,
    second_call,
)


def stock(call: Callable[..., Any], x: torch.Tensor) -> Effect:
    """Give the worst that stock Dynamo says of the break, once the print is mended."""
    torch.compiler.reset()
    collector = Collector()
    with collector.installed():
        torch.compile(call, backend="eager")(x, quiet)
    torch.compiler.reset()
    shown = [seen.effect for seen in collector.breaks if seen.causes[0].gb == "GB0025"]
    return max(shown, key=lambda effect: HARM[effect])


@pytest.mark.parametrize("call", CALLERS, ids=lambda call: call.__name__)
def test_the_worst_frame_counts(
    call: Callable[..., Any], see: Callable[..., Sight], ones: torch.Tensor
) -> None:
    """Once the print is mended, the finding is the same."""
    (site,) = [one for one in see(call, ones, print).sites if one.causes[0].gb == "GB0025"]

    proof = proof_of(site, call, (ones, print), {}, options={})

    assert proof is not None
    assert proof.stack[-1].source == "graph_break()"
    assert proof.effect == stock(call, ones)


def test_callers_differ(ones: torch.Tensor) -> None:
    """Every effect is among them."""
    assert {stock(call, ones) for call in CALLERS} == {"frame_dropped", "rest_eager", "resumes"}


def addressed(x: torch.Tensor, say: Say) -> torch.Tensor:
    """Raise one thing in Dynamo, which has no number there, and another for real."""
    for _ in range(2):
        say("a")
    x.data_ptr() % 16
    raise ValueError


def calls_addressed(x: torch.Tensor, say: Say) -> torch.Tensor:
    """Have it inlined."""
    return addressed(x, say) * 2


def test_what_a_call_really_raises_does_not_take_the_place_of_the_break(
    see: Callable[..., Sight], ones: torch.Tensor
) -> None:
    """The call is made for real on the way out, to see which functions it calls."""
    sites = see(calls_addressed, ones, print).sites
    (site,) = [one for one in sites if "data_ptr" in one.stack[-1].source]

    proof = proof_of(site, calls_addressed, (ones, print), {}, options={})

    assert proof is not None
    assert (proof.causes[0].gb, proof.effect) == ("GB0088", "frame_dropped")
