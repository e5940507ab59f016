"""Which line of a baseline stands for which finding.

Findings and lines are paired within one platform, one fingerprint and one name of a factory; a `*`
line serves once on each platform. One line serves one finding there: two `print(x)` in one function
need two lines. As many findings as possible get a line, in this order of preference:

1. gating findings, lines with the same effect and the same GB id;
2. gating findings, lines with a worse effect, without GB id, or with the id of another torch;
3. findings that do not gate;
4. lines of the same function in a file that is scanned and holds no entries any more (moved).

What is left over on both sides of one entry is the same site in a state that is not accepted.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Literal

from graphaudit.gate.entry_ids import name_of
from graphaudit.gate.matching import Choice, Matching
from graphaudit.model import EFFECTS_BY_HARM

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from graphaudit.gate.scanned import Scanned
    from graphaudit.model import Accepted, Effect, Finding, Report


@dataclass(frozen=True, slots=True)
class Pair:
    """A line and the finding it stands for, as indexes into what was given."""

    line: int
    finding: int
    how: Literal["accepted", "moved", "not accepted"]


def pairs(report: Report, accepted: Sequence[Accepted], scanned: Scanned) -> tuple[Pair, ...]:
    """Pair the baseline's lines with the report's findings."""
    findings: defaultdict[tuple[str, tuple[str, str]], dict[int, Finding]] = defaultdict(dict)
    for index, found in sorted(enumerate(report.findings), key=lambda item: _order(item[1])):
        site = (found.fingerprint, name_of(found.entry))
        findings[found.platform, site][index] = found
    lines: defaultdict[tuple[str, str], dict[int, Accepted]] = defaultdict(dict)
    for index, line in sorted(enumerate(accepted), key=lambda item: order(item[1])):
        lines[line.fingerprint, name_of(line.entry)][index] = line
    made: list[Pair] = []
    for (platform, site), group in sorted(findings.items(), key=lambda item: item[0]):
        usable = {at: line for at, line in lines[site].items() if line.platform in (platform, "*")}
        lost = {at for at, line in usable.items() if scanned.lost_file(line.entry)}
        made.extend(_Group(group, usable, lost, report.environment.torch).pairs())
    return tuple(made)


def order(line: Accepted) -> tuple[str, ...]:
    """Give the key that sorts a baseline."""
    return tuple(map(str, astuple(line)))


def rank(line: Accepted, found: Finding, torch: str | None) -> int | None:
    """Say how well `line` accepts `found`: 0 exactly, 1 as wider, 2 by another torch, None not."""
    if worst((line.effect, found.effect)) != line.effect:
        return None
    if line.gb not in (None, found.gb):
        return None if line.torch == torch else 2
    return int((line.effect, line.gb) != (found.effect, found.gb))


def worst(effects: Iterable[Effect]) -> Effect | None:
    """Give the effect that a line needs to accept all of `effects`, None if no line can."""
    several = set(effects)
    if len(several) == 1:
        return several.pop()
    if not several or not several <= set(EFFECTS_BY_HARM):
        return None
    return max(several, key=EFFECTS_BY_HARM.index)


def _order(found: Finding) -> tuple[bool, str, int, int, str]:
    # The marks of an earlier judgement must not decide this one.
    rest = repr(replace(found, accepted=None, detail={}))
    return (not found.gates, found.path, found.line, found.column or 0, rest)


def _is_star(line: Accepted) -> bool:
    return line.platform == "*"


def _kinds(keys: Mapping[int, Hashable]) -> dict[int, int]:
    """Give each index the first one with the same key."""
    first: dict[Hashable, int] = {}
    return {index: first.setdefault(key, index) for index, key in keys.items()}


class _Group:
    """The findings of one platform, site and name, and the lines that can stand for them."""

    def __init__(
        self,
        findings: dict[int, Finding],
        lines: dict[int, Accepted],
        lost: set[int],
        torch: str | None,
    ) -> None:
        self._findings = findings
        self._lines = lines
        self._lost = lost  # lines of files that hold no entries any more: they serve any entry
        self._torch = torch
        self._finding_kinds = _kinds(
            {at: (found.entry, found.effect, found.gb) for at, found in findings.items()}
        )
        self._line_kinds = _kinds({at: self._line_key(at) for at in lines})

    def pairs(self) -> Iterator[Pair]:
        """Give every line at most one finding, and the other way round."""
        gating = [at for at, found in self._findings.items() if found.gates]
        close = self._close()
        exact = {kind: [one for one in best if one.rank == 0] for kind, best in close.items()}
        matching = Matching(self._finding_kinds, self._line_kinds)
        matching.match(gating, exact)
        matching.match(gating, close)
        matching.match(self._findings, close)
        matching.match(self._findings, self._moved(close))
        for line, found in matching.owner.items():
            yield Pair(line, found, "moved" if line in self._lost else "accepted")
        yield from self._left_over(matching.owner)

    def _line_key(self, at: int) -> Hashable:
        line = self._lines[at]
        entry = None if at in self._lost else line.entry
        return (entry, _is_star(line), line.effect, line.gb, line.torch)

    def _close(self) -> dict[int, list[Choice]]:
        """Give the lines, by kind, that accept a kind of findings and are of its own entry."""
        own: defaultdict[str, list[int]] = defaultdict(list)
        for line in dict.fromkeys(self._line_kinds.values()):
            own[self._lines[line].entry].append(line)
        return {
            found: sorted(self._choices(found, own[self._findings[found].entry], moved=False))
            for found in dict.fromkeys(self._finding_kinds.values())
        }

    def _moved(self, close: Mapping[int, Sequence[Choice]]) -> dict[int, list[Choice]]:
        """Add the lines, by kind, that are free to serve any entry."""
        lost = [line for line in dict.fromkeys(self._line_kinds.values()) if line in self._lost]
        return {
            found: [*own, *self._choices(found, lost, moved=True)] for found, own in close.items()
        }

    def _choices(self, finding: int, lines: Iterable[int], *, moved: bool) -> Iterator[Choice]:
        for at in lines:
            line = self._lines[at]
            how = rank(line, self._findings[finding], self._torch)
            if how is not None:
                yield Choice(moved=moved, rank=how, wide=_is_star(line), lines=at)

    def _left_over(self, owner: Mapping[int, int]) -> Iterator[Pair]:
        """Pair what no line accepts with lines of its entry that serve nothing else."""
        free: defaultdict[str, list[int]] = defaultdict(list)
        rest = [at for at in reversed(self._lines) if at not in owner]
        for line in sorted(rest, key=lambda at: not _is_star(self._lines[at])):
            free[self._lines[line].entry].append(line)
        taken = set(owner.values())
        for at, found in self._findings.items():
            if at not in taken and free[found.entry]:
                yield Pair(free[found.entry].pop(), at, "not accepted")
