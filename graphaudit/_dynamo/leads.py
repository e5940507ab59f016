"""Which sites of a see-through trace no stock trace has shown. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphaudit._dynamo.see_through.record import preferred
from graphaudit._dynamo.see_through.sight import SeenSite
from graphaudit._target.belongs import is_targets
from graphaudit.model import GATING_EFFECTS, Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphaudit._dynamo.see_through.sight import Sight
    from graphaudit.model import Cause, Location

_Line = tuple[str, int]
_Key = tuple[_Line, str, _Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A site that no stock trace showed."""

    site: SeenSite
    input: int
    is_error: bool


def leads(stock: Iterable[Event], sights: Sequence[Sight]) -> Iterator[Lead]:
    """Give each new site once, in order of execution, inputs in turn.

    What a library does with an object that an earlier break made is no lead: with that break it
    is gone, and no line of the user's says anything about it.
    A stock site without an id that none matches in all stands for one on its line: at a jump,
    Dynamo raises a `UserError` under some settings, the same cause in other words.
    """
    found = {_key(lead.site.causes, lead.site.stack): lead for lead in reversed([*_all(sights)])}
    shown = [event for event in stock if event.effect in GATING_EFFECTS]
    known = {_key(event.causes, event.stack) for event in shown}
    without_id = {_key(event.causes, event.stack) for event in shown if event.causes[0].gb is None}
    unmatched = Counter(place for place, _, _ in without_id - found.keys())
    for key, lead in reversed(found.items()):
        if key in known:
            continue
        if unmatched[key[0]]:
            unmatched[key[0]] -= 1
        else:
            yield lead


def _all(sights: Sequence[Sight]) -> Iterator[Lead]:
    for index, sight in enumerate(sights):
        for site in sight.sites:
            if not _is_consequence(site):
                yield Lead(site=site, input=index, is_error=False)
        for site in sight.errors:
            if not _is_consequence(site):
                yield Lead(site=site, input=index, is_error=True)


def _is_consequence(site: SeenSite) -> bool:
    return site.secondary and not is_targets(site.stack[-1].path)


def _key(causes: tuple[Cause, ...], stack: tuple[Location, ...]) -> _Key:
    if not stack:
        return ("", 0), causes[0].gb_type, ("", 0)
    user, leaf = preferred(stack), stack[-1]
    return (user.path, user.line), causes[0].gb_type, (leaf.path, leaf.line)
