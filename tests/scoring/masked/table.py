"""The table: what one run of each tool shows of each function, and the rounds to one graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.scoring.masked.rounds import View, rounds
from tests.scoring.masked.views import Shown, by_default_trace, by_explain, by_see_through

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.scoring.masked.files import MaskedFile
    from tests.scoring.masked.proof import Sites

TOOLS: Final[dict[str, View]] = {
    "see-through": by_see_through,
    "default trace": by_default_trace,
    "explain": by_explain,
}
_ROW: Final = "{:<36}{:>6} |{:>6}{:>6}{:>7} |{:>6}{:>7} |{:>6}{:>6}{:>7}"
_COLUMNS: Final = ("found", "extra", "rounds", "found", "rounds", "found", "says", "rounds")
_HEAD: Final = (
    f"{'':<36}{'':>6} |{'see-through':>19} |{'default trace':>13} |{'explain':>19}",
    _ROW.format("function", "sites", *_COLUMNS),
)
_NEVER: Final = "-"


@dataclass(frozen=True, slots=True)
class Seen:
    """One tool on one function."""

    found: int  # of the true sites
    extra: int  # lines that are no site, in whatever file
    says: int  # how many breaks it counts
    stopped: str
    rounds: int | None  # None: it never comes to one graph


@dataclass(frozen=True, slots=True)
class Row:
    """All tools on one function."""

    function: str
    sites: int
    by: dict[str, Seen]

    @property
    def is_won(self) -> bool:
        """Whether see-through shows all sites and no other, to the end, in one round."""
        seen = self.by["see-through"]
        return seen == Seen(self.sites, 0, seen.says, "", 1)


def row(file: MaskedFile, name: str, truth: Sites) -> Row:
    """Ask every tool about a function."""
    lines = frozenset(line for line, _ in truth)
    seen = {tool: _seen(file, name, view, lines) for tool, view in TOOLS.items()}
    return Row(f"{file.path.stem}.{name}", len(lines), seen)


def _seen(file: MaskedFile, name: str, view: View, truth: frozenset[int]) -> Seen:
    shown = view(file.call(name))
    return Seen(
        found=len(shown.lines & truth),
        extra=_extra(shown, truth),
        says=shown.count,
        stopped=shown.stopped,
        rounds=rounds(file, name, view, shown),
    )


def _extra(shown: Shown, truth: frozenset[int]) -> int:
    return len(shown.lines - truth) + len(shown.elsewhere)


def rendered(rows: Iterable[Row]) -> Iterator[str]:
    """Give the table line by line, each as soon as its row is known; the totals last."""
    yield from _HEAD
    known: list[Row] = []
    for one in rows:
        known.append(one)
        yield _line(one.function, one.sites, {tool: [seen] for tool, seen in one.by.items()})
    by_tool = {tool: [one.by[tool] for one in known] for tool in TOOLS}
    yield _line(f"{len(known)} functions", sum(one.sites for one in known), by_tool)
    for tool, seen in by_tool.items():
        never = sum(one.rounds is None for one in seen)
        if never:
            yield f"{tool}: {never} functions never reach one graph ({_NEVER}): it shows no more"


def _line(function: str, sites: int, by: dict[str, list[Seen]]) -> str:
    see, default, explain = (by[tool] for tool in TOOLS)
    return _ROW.format(
        function,
        sites,
        sum(one.found for one in see),
        sum(one.extra for one in see),
        _rounds(see),
        sum(one.found for one in default),
        _rounds(default),
        sum(one.found for one in explain),
        sum(one.says for one in explain),
        _rounds(explain),
    )


def _rounds(seen: list[Seen]) -> str:
    known = [one.rounds for one in seen if one.rounds is not None]
    return str(sum(known)) if known else _NEVER
