"""Which see-through sites are new."""

from __future__ import annotations

from typing import Any

from graphaudit._dynamo.leads import leads
from graphaudit._dynamo.see_through.sight import SeenSite, Sight
from graphaudit.model import Cause, Event, Location

PRINT = Cause(gb="GB0059", gb_type="Failed to trace builtin operator")
CLOCK = Cause(gb="GB0007", gb_type="Attempted to call function marked as skipped")


def place(line: int, path: str = "/repo/a.py") -> Location:
    """Make a location; names do not matter here."""
    return Location(path=path, line=line, end_line=line, column=5, qualname="f", source="s")


def site(*stack: Location, cause: Cause = PRINT, **fields: Any) -> SeenSite:
    """Make a site."""
    return SeenSite(causes=(cause,), stack=stack, **fields)


def event(*stack: Location, cause: Cause = PRINT, **fields: Any) -> Event:
    """Make what the default trace showed."""
    plain: dict[str, Any] = {"verdict": "default", "effect": "resumes"}
    return Event(stack=stack, causes=(cause,), **(plain | fields))


def new_lines(stock: list[Event], *sights: Sight) -> list[tuple[int, int]]:
    """Give input and line of each lead."""
    return [(lead.input, lead.site.stack[-1].line) for lead in leads(stock, sights)]


def test_what_stock_showed_is_not_new() -> None:
    """The rest comes in order of execution, not of lines."""
    sight = Sight(sites=(site(place(3)), site(place(9)), site(place(5))), errors=())

    assert new_lines([event(place(3))], sight) == [(0, 9), (0, 5)]


def test_a_site_of_two_inputs_is_one_lead() -> None:
    """The first input that shows it counts."""
    first = Sight(sites=(site(place(3)),), errors=())
    second = Sight(sites=(site(place(3)), site(place(4))), errors=())

    assert new_lines([], first, second) == [(0, 3), (1, 4)]


def test_two_library_lines_below_one_line_are_two_sites() -> None:
    """Mending one leaves the other."""
    one, other = (place(line, "/v/site-packages/torch/x.py") for line in (1, 2))
    sight = Sight(sites=(site(place(3), one), site(place(3), other)), errors=())

    assert new_lines([event(place(3), one)], sight) == [(0, 2)]


def test_other_words_for_the_same_line_are_no_news() -> None:
    """What Dynamo words without an id: as many as stock has on that line, and no more."""
    sight = Sight(sites=(site(place(3), cause=CLOCK), site(place(3))), errors=())
    restated = event(place(3), cause=Cause(gb=None, gb_type="UserError"))

    assert len(list(leads([restated], [sight]))) == 1


def test_another_break_on_the_line_hides_none() -> None:
    """One with an id is itself: fullgraph captures it, so see-through is silent."""
    sight = Sight(sites=(site(place(3)), site(place(3), cause=CLOCK)), errors=())
    captured = event(place(3), cause=Cause(gb="GB0124", gb_type="Unsupported Tensor.item() call"))

    assert [lead.site.causes[0] for lead in leads([captured, event(place(3))], [sight])] == [CLOCK]


def test_a_recompile_hides_no_break() -> None:
    """It does not stand for a site on its line."""
    sight = Sight(sites=(site(place(3)),), errors=())

    assert new_lines([event(place(3), effect="recompile")], sight) == [(0, 3)]


def test_errors_are_leads_as_well() -> None:
    """And say that they are."""
    (lead,) = leads([], [Sight(sites=(), errors=(site(place(3)),))])

    assert lead.is_error


def test_consequences_in_libraries_are_left_out() -> None:
    """A user's line is a lead, whatever object it is about."""
    library = place(1, torch_file())
    sight = Sight(
        sites=(site(place(3), secondary=True), site(place(4), library, secondary=True)), errors=()
    )

    assert new_lines([], sight) == [(0, 3)]


def torch_file() -> str:
    """Name a file of torch's."""
    import torch

    return str(torch.__file__)
