"""Proof of a site: stock Dynamo shows it once what breaks before it is done for real."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphaudit._dynamo.collector import Collector
from graphaudit._dynamo.see_through.record import Record, preferred
from graphaudit._dynamo.see_through.session import Session
from graphaudit._dynamo.see_through.target import Target
from graphaudit._dynamo.see_through.tracing import run
from graphaudit.model import HARM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphaudit._dynamo.see_through.sight import SeenSite
    from graphaudit._dynamo.seen import Seen
    from graphaudit.model import Location


def proof_of(
    site: SeenSite,
    call: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    options: dict[str, Any],
) -> Seen | None:
    """Trace a call once more, going on behind each break but one: that is left to Dynamo.

    Args:
        site: The one, out of a see-through trace of the same call.
        call: What would be compiled.
        args: Its positional arguments, made afresh.
        kwargs: Its keyword arguments, made afresh.
        options: Further options of `torch.compile`.

    Returns:
        The break as Dynamo reports it, with what becomes of the frame: of several frames, one
        inlined in the other, the worst. None if it reports none at that place.
    """
    collector = Collector()
    shown: list[Seen | None] = []
    session = Session(
        Record(fullgraph=False),
        fullgraph=False,
        options=options,
        target=Target(site),
        at_target=lambda raised: shown.append(_shown(collector, raised)),
    )
    with collector.installed():
        run(session, call, args, kwargs)
    first, *inner = shown or [None]
    if first is None or not _is_at(first, site):
        return None
    at_leaf = [seen for seen in inner if seen and _is_at_leaf(seen, site)]
    return replace(first, effect=max([first, *at_leaf], key=_harm).effect)


def _shown(collector: Collector, raised: Exception | None) -> Seen | None:
    if raised is not None:
        return collector.of_exception(raised)
    breaks = [seen for seen in collector.breaks if seen.effect != "recompile"]
    return breaks[-1] if breaks else None


def _harm(seen: Seen) -> int:
    return HARM[seen.effect]


def _is_at(seen: Seen, site: SeenSite) -> bool:
    return bool(seen.stack) and _is_same_line(preferred(seen.stack), preferred(site.stack))


def _is_at_leaf(seen: Seen, site: SeenSite) -> bool:
    """Tell whether a function alone shows the site: who calls it is not in its stack."""
    return bool(seen.stack) and _is_same_line(seen.stack[-1], site.stack[-1])


def _is_same_line(one: Location, other: Location) -> bool:
    return (one.path, one.line) == (other.path, other.line)
