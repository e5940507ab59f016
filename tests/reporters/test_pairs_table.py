"""The table of a comparison: its whole text once, then what must hold for any."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from graphaudit import reporters
from graphaudit.model import (
    Answer,
    ComparedForm,
    ComparedPair,
    Comparison,
    Environment,
    FullgraphVerdict,
    Later,
)

YES, NO = Answer(text="True"), Answer(text="False")
BREAKS = FullgraphVerdict(
    ok=False, gb="GB0069", gb_type="Import failure", path="probes/eager.py", line=19
)


def later(change: str, following: Any, eager: Answer = YES, compiled: Answer = NO) -> Later:
    """Make what a change did."""
    return Later(change=change, following=following, eager=eager, compiled=compiled, fresh=eager)


def form(**its: Any) -> ComparedForm:
    """Make a form that holds, but for what is given."""
    given: dict[str, Any] = {
        "answer": NO,
        "compiled": NO,
        "same": True,
        "apart": "",
        "nanoseconds": None,
        "fullgraph": FullgraphVerdict(ok=True),
        "rule": None,
        "reached": (),
        "later": (),
    }
    return ComparedForm(**given | its)


def pair(name: str, platform: str = "cpu", **its: Any) -> ComparedPair:
    """Make a pair that holds, but for what is given."""
    given: dict[str, Any] = {
        "packages": {},
        "outcome": "holds",
        "message": "",
        "agree": True,
        "eager": form(),
        "safe": form(),
    }
    return ComparedPair(
        id=f"p.py::compare_{name}", path="p.py", line=1, platform=platform, **given | its
    )


def comparison(*pairs: ComparedPair, **its: Any) -> Comparison:
    """Put pairs together."""
    ran_on = Environment(
        torch="2.13.0", python="3.11.7", graphaudit="0.1.0", devices={"musa": "S4000"}
    )
    return Comparison(environment=ran_on, pairs=pairs, findings=(), **its)


EAGER = form(
    fullgraph=BREAKS,
    rule="GA001",
    reached=("probes.eager.is_hip", "probes.eager.is_musa"),
    later=(later("it rains", "cached"), later("it snows", "cached"), later("A=1", "stale")),
)
SAFE = form(later=(later("it rains", "unchanged"),))
ONE = {"eager": EAGER, "safe": SAFE}
TIMED = {"eager": replace(EAGER, nanoseconds=31.4), "safe": replace(SAFE, nanoseconds=28_400.0)}
WHOLE = comparison(
    pair("is_musa", packages={"torchada": "absent"}, **TIMED),
    pair("is_musa", "musa", packages={"torchada": "present"}, eager=form(answer=YES)),
    pair("is_musa", "musa", packages={"torchada": "absent"}, **ONE),
    pair("is_musa", "musa", packages={"torchada": "broken"}, **ONE),
    pair("is_musa", packages={"torchada": "broken"}, **ONE),
    pair(
        "norm",
        safe=form(same=False, compiled=Answer(text="ValueError: no", raised=True)),
        outcome="differs",
        message="safe, compiled, raises ValueError: no, where it gives False in eager",
    ),
    pair("gone", eager=None, safe=None, outcome="crashed", message="ended by SIGKILL"),
    notes=("p.py::compare_y is for xpu and this machine is cpu: not traced",),
)
GOLDEN = """\
p.py::compare_is_musa
  on cpu, musa with torchada absent or torchada broken
    eager  False  GA001 [GB0069] at probes/eager.py:19  31 ns a call
           reaches probes.eager.is_hip, probes.eager.is_musa
           after "it rains", "it snows": eager and compiled keep the old answer
           after "A=1": STALE: compiled keeps the old answer
    safe   False  one graph  28.4 us a call
           after "it rains": unchanged
  on musa with torchada present
    eager  True  one graph
    safe   False  one graph

p.py::compare_norm
  on cpu
    eager  False  one graph
    safe   False  one graph  compiled: raises ValueError: no
    differs: safe, compiled, raises ValueError: no, where it gives False in eager

p.py::compare_gone
  on cpu
    crashed: ended by SIGKILL

  note    p.py::compare_y is for xpu and this machine is cpu: not traced

simulated: musa (S4000)
torch 2.13.0, python 3.11.7, graphaudit 0.1.0
3 pairs, 7 comparisons: 5 hold, 1 differ, 1 crashed
"""


def plain(text: str) -> str:
    """Take the codes for colours out."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_whole_text() -> None:
    """Settings with equal results once, whatever a call took in each."""
    assert reporters.render("table", WHOLE, width=100) == GOLDEN


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("width", [60, 80, 140])
def test_lines_fit(width: int, *, color: bool) -> None:
    """But for words that are longer, which stay whole."""
    text = plain(reporters.render("table", WHOLE, width=width, color=color))
    longest = max(cell_len(word) for word in text.split()) + 11
    assert all(cell_len(line) <= max(width, longest) for line in text.splitlines())


def test_color_changes_no_character() -> None:
    """Escape codes stand between the same words."""
    painted = reporters.render("table", WHOLE, width=100, color=True)

    assert "\x1b[" in painted
    assert [line.rstrip() for line in plain(painted).splitlines()] == GOLDEN.splitlines()


def test_what_strangers_wrote_cannot_move_the_cursor() -> None:
    """In ids, answers, messages and words for changes."""
    evil = "\x1b[2J\x07\u202e"
    hostile = pair(
        f"x{evil}",
        f"cpu{evil}",
        packages={f"p{evil}": "absent"},
        eager=form(answer=Answer(text=f"{evil}\nnext"), reached=(evil,)),
        safe=form(later=(later(evil, "differs", Answer(text=evil), Answer(text=evil)),)),
        outcome="differs",
        message=evil,
    )
    whole = comparison(hostile, notes=(evil,))
    for text in (
        reporters.render("table", whole, width=100),
        plain(reporters.render("table", whole, width=100, color=True)),
    ):
        assert not (set(evil) - {"[", "2", "J"}) & set(text)


def test_an_id_that_ends_in_brackets_is_shown_whole() -> None:
    """Brackets are no markup."""
    strange = replace(pair("x"), id="a[bold]/p.py::compare_x[0]")
    text = reporters.render("table", comparison(strange), width=100)
    assert text.startswith("a[bold]/p.py::compare_x[0]\n")


def test_answers_that_are_apart_are_two_results() -> None:
    """Though their words are the same."""
    one = pair("x", safe=form(apart="by up to 1"), outcome="differs", message="by up to 1")
    other = pair("x", "musa", safe=form(apart="by up to 2"), outcome="differs", message="by 2")
    text = reporters.render("table", comparison(one, other), width=100)
    assert ("  on cpu\n" in text, "  on musa\n" in text) == (True, True)


def test_nothing_compared() -> None:
    """A comparison without pairs says so."""
    text = reporters.render("table", comparison(), width=100)
    assert text.endswith("0 pairs, 0 comparisons: none compared\n")
