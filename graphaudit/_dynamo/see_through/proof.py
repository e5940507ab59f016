"""Proof of a site: stock Dynamo shows it once what breaks before it is done for real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphaudit._dynamo.collector import Collector, Seen
from graphaudit._dynamo.see_through.record import Record, preferred
from graphaudit._dynamo.see_through.session import Session
from graphaudit._dynamo.see_through.target import Target
from graphaudit._dynamo.see_through.tracing import run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphaudit._dynamo.see_through.sight import SeenSite


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
        The break as Dynamo reports it, with what becomes of the frame; None if it reports none
        at that place.
    """
    collector, target = Collector(), Target(site)
    session = Session(Record(fullgraph=False), fullgraph=False, options=options, target=target)
    with collector.installed():
        run(session, call, args, kwargs)
    if not target.is_reached:
        return None
    seen = _shown(collector, session)
    return seen if seen and _is_at(seen, site) else None


def _shown(collector: Collector, session: Session) -> Seen | None:
    if session.raised is not None:
        return collector.of_exception(session.raised)
    breaks = [seen for seen in collector.breaks if seen.effect != "recompile"]
    return breaks[-1] if breaks else None


def _is_at(seen: Seen, site: SeenSite) -> bool:
    if not seen.stack:
        return False
    shown, known = preferred(seen.stack), preferred(site.stack)
    return (shown.path, shown.line) == (known.path, known.line)
