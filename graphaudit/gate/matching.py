"""As many findings as possible get a line, and each the best one that is left for it.

Kuhn's matching, over kinds: findings that the same lines can serve are of one kind, and so are
lines that can serve the same findings. A thousand equal `print(x)` are then no more to search than
one, and no deeper.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Choice(NamedTuple):
    """Lines that can serve a finding; of two choices the lesser one is the better."""

    moved: bool
    rank: int
    wide: bool  # lines for any platform
    lines: int  # their kind


class Matching:
    """Lines and the findings that own them, all of them numbers."""

    def __init__(self, finding_kinds: Mapping[int, int], line_kinds: Mapping[int, int]) -> None:
        """Start with nothing matched.

        Args:
            finding_kinds: Every finding, and its kind.
            line_kinds: Every line, and its kind; of two that serve equally well the first one here
                is taken first.
        """
        self.owner: dict[int, int] = {}  # line to finding
        self._finding_kinds = finding_kinds
        self._line_kinds = line_kinds
        self._place = {line: place for place, line in enumerate(line_kinds)}
        self._free: defaultdict[int, deque[int]] = defaultdict(deque)  # by kind
        for line, kind in line_kinds.items():
            self._free[kind].append(line)
        # Kind of lines, then kind of their owners, to lines.
        self._held: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(_by_kind)

    def match(self, findings: Iterable[int], choices: Mapping[int, Sequence[Choice]]) -> None:
        """Give a line to each of `findings` that has none, as far as `choices` allow.

        Owners of lines may get others in exchange, but none loses its line for nothing.
        """
        matched = set(self.owner.values())
        # What a search in vain has seen leads nowhere for the rest of them either.
        dead: set[int] = set()
        for finding in findings:
            if finding in matched:
                continue
            tried: set[int] = set()
            line = self._line_for(self._finding_kinds[finding], choices, dead, tried)
            if line is None:
                dead |= tried
            else:
                self._give(line, finding)

    def _line_for(
        self,
        kind: int,
        choices: Mapping[int, Sequence[Choice]],
        dead: set[int],
        tried: set[int],
    ) -> int | None:
        """Take a line for a finding of this kind, from its owner if need be."""
        free = [choice for choice in choices[kind] if self._free[choice.lines]]
        if free:
            return self._free[min(free, key=self._preference).lines].popleft()
        for choice in choices[kind]:
            if choice.lines in dead or choice.lines in tried:
                continue
            tried.add(choice.lines)
            for other, held in self._held[choice.lines].items():
                instead = self._line_for(other, choices, dead, tried) if held else None
                if instead is not None:
                    line = held.pop()
                    self._give(instead, self.owner.pop(line))
                    return line
        return None

    def _preference(self, choice: Choice) -> tuple[bool, int, bool, int]:
        # Moved lines are equally good: which one comes first decides.
        first = self._place[self._free[choice.lines][0]]
        if choice.moved:
            return (True, 0, False, first)
        return (False, choice.rank, choice.wide, first)

    def _give(self, line: int, finding: int) -> None:
        self.owner[line] = finding
        self._held[self._line_kinds[line]][self._finding_kinds[finding]].append(line)


def _by_kind() -> defaultdict[int, list[int]]:
    return defaultdict(list)
