"""Where operators run outside graphs: by line, and behind each break. Pure; paths are portable."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from graphaudit._blame import blamed
from graphaudit.model import EagerLine

if TYPE_CHECKING:
    from graphaudit.model import Break, Coverage, Effect, Location

# what becomes of the whole function that the line stands in
_OF_FUNCTION: Final[frozenset[Effect]] = frozenset(
    {"rest_eager", "frame_dropped", "not_compiled", "recompile_limit"}
)


def eager_lines(coverage: Coverage) -> tuple[EagerLine, ...]:
    """Give the lines that run operators outside graphs, those with the most first."""
    counts: Counter[tuple[str, int]] = Counter()
    names: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    places: dict[tuple[str, int], Location] = {}
    for ops in coverage.eager_at:
        if ops.stack:
            place, _ = blamed(ops.stack)
            key = place.path, place.line
            places.setdefault(key, place)
            counts[key] += ops.ops
            names[key] += ops.names
    return tuple(
        EagerLine(
            path=key[0],
            line=key[1],
            qualname=places[key].qualname,
            source=places[key].source,
            ops=count,
            operators=tuple(dict.fromkeys(names[key])),
        )
        for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def ops_behind(found: Break, coverage: Coverage) -> int:
    """Count the operators that a break leaves to eager.

    Of a line that the graph is split at, what the line itself calls. Where a break costs more than
    its line, what the whole function runs outside graphs; breaks of one function share that.
    """
    return sum(
        ops.ops for ops in coverage.eager_at if any(_is_behind(place, found) for place in ops.stack)
    )


def _is_behind(place: Location, found: Break) -> bool:
    site = found.site
    if place.path != site.path:
        return False
    if found.effect in _OF_FUNCTION:
        return place.qualname == site.qualname
    return site.line <= place.line <= site.end_line
