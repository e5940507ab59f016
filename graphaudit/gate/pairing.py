"""Which line of a baseline stands for which finding.

Findings and lines are paired within one platform and one fingerprint; a `*` line serves once on
each platform. One line serves one finding there: two `print(x)` in one function need two lines. As
many findings as possible get a line, in this order of preference:

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

from graphaudit.gate.entry_ids import covers, file_of, name_of
from graphaudit.model import EFFECTS_BY_HARM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphaudit.model import Accepted, Effect, Finding, Report

    _Edges = Mapping[int, Sequence[int]]  # finding to lines, the best first


@dataclass(frozen=True, slots=True)
class Pair:
    """A line and the finding it stands for, as indexes into what was given."""

    line: int
    finding: int
    how: Literal["accepted", "moved", "not accepted"]


def pairs(report: Report, accepted: Sequence[Accepted]) -> tuple[Pair, ...]:
    """Pair the baseline's lines with the report's findings."""
    findings: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for index in sorted(range(len(report.findings)), key=lambda at: _order(report.findings[at])):
        found = report.findings[index]
        findings[found.platform, found.fingerprint].append(index)
    lines: defaultdict[str, list[int]] = defaultdict(list)
    for index in sorted(range(len(accepted)), key=lambda at: order(accepted[at])):
        lines[accepted[index].fingerprint].append(index)
    made: list[Pair] = []
    for (platform, name), group in sorted(findings.items()):
        usable = [at for at in lines[name] if accepted[at].platform in (platform, "*")]
        made.extend(_Group(report, accepted, group, usable).pairs())
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


class _Group:
    """The findings of one platform and fingerprint, and the lines that can stand for them."""

    def __init__(
        self, report: Report, accepted: Sequence[Accepted], findings: list[int], lines: list[int]
    ) -> None:
        self._report = report
        self._accepted = accepted
        self._findings = findings
        self._lines: defaultdict[str, list[int]] = defaultdict(list)  # entry to lines
        for line in lines:
            self._lines[accepted[line].entry].append(line)
        self._owner: dict[int, int] = {}  # line to finding

    def pairs(self) -> Iterator[Pair]:
        """Give every line at most one finding, and the other way round."""
        gating = [at for at in self._findings if self._report.findings[at].gates]
        exact = {at: self._edges(at, exact=True) for at in gating}
        close = {at: self._edges(at, exact=False) for at in self._findings}
        gone = self._gone_entries()
        moved = {at: [*close[at], *self._moved(at, gone)] for at in self._findings}
        for findings, edges in (
            (gating, exact),
            (gating, close),
            (self._findings, close),
            (self._findings, moved),
        ):
            self._match(findings, edges)
        for line, found in self._owner.items():
            yield Pair(line, found, "accepted" if line in self._own_lines(found) else "moved")
        yield from self._left_over()

    def _match(self, findings: Iterable[int], edges: _Edges) -> None:
        matched = set(self._owner.values())
        for found in findings:
            if found not in matched:
                self._place(found, edges, set())

    def _place(self, found: int, edges: _Edges, tried: set[int]) -> bool:
        """Find a line for `found`, giving another line to its owner if need be (Kuhn)."""
        for line in edges[found]:
            if line not in self._owner:
                self._owner[line] = found
                return True
        for line in edges[found]:
            if line in tried:
                continue
            tried.add(line)
            if self._place(self._owner[line], edges, tried):
                self._owner[line] = found
                return True
        return False

    def _own_lines(self, found: int) -> list[int]:
        return self._lines[self._report.findings[found].entry]

    def _edges(self, found: int, *, exact: bool) -> list[int]:
        ranks = {
            line: rank
            for line in self._own_lines(found)
            if (rank := self._rank(line, found)) is not None
        }
        best = sorted(ranks, key=lambda line: (ranks[line], self._accepted[line].platform == "*"))
        return [line for line in best if not exact or ranks[line] == 0]

    def _moved(self, found: int, gone: Iterable[str]) -> list[int]:
        name = name_of(self._report.findings[found].entry)
        return [
            line
            for entry in gone
            if name_of(entry) == name
            for line in self._lines[entry]
            if self._rank(line, found) is not None
        ]

    def _gone_entries(self) -> list[str]:
        """Give the entries of lines whose file is scanned and holds no entries any more."""
        scope = self._report.scope
        there = set(map(file_of, scope.entries))
        return [
            entry
            for entry in self._lines
            if file_of(entry) not in there and covers(scope, file_of(entry))
        ]

    def _rank(self, line: int, found: int) -> int | None:
        torch = self._report.environment.torch
        return rank(self._accepted[line], self._report.findings[found], torch)

    def _left_over(self) -> Iterator[Pair]:
        taken = set(self._owner.values())
        for found in self._findings:
            free = [line for line in self._own_lines(found) if line not in self._owner]
            if found not in taken and free:
                line = min(free, key=lambda line: self._accepted[line].platform == "*")
                self._owner[line] = found
                yield Pair(line, found, "not accepted")
