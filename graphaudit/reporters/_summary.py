"""The last line of a run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from graphaudit.reporters._sites import outcomes, sites, state
from graphaudit.reporters._words import number

if TYPE_CHECKING:
    from graphaudit.model import Report

# In the order in which they are said.
_OUTCOMES: Final = {
    "clean": "clean",
    "breaks": "with breaks",
    "accepted breaks": "with breaks (accepted)",
    "error": "with errors",
    "accepted error": "with errors (accepted)",
    "timeout": "timed out",
    "crashed": "crashed",
}


def summary(report: Report) -> str:
    """Say in one line how the entries did and what the gate counts."""
    shown: Counter[str] = Counter(
        f"accepted {entry.outcome}" if name == "accepted" else name
        for entry, name in outcomes(report)
    )
    counts = [f"{shown[name]:,} {words}" for name, words in _OUTCOMES.items() if shown[name]]
    errors = sum(state(found) == "error" for found in report.findings)
    asks = [
        _new(report),
        *([number(errors, "error")] if errors else []),
        number(len(report.stale), "stale line"),
    ]
    return (
        f"{number(len(report.entries), 'entry')}: {', '.join(counts) or 'none traced'}; "
        f"{', '.join(asks)}"
    )


def _new(report: Report) -> str:
    """Say how many findings are new, and at how many sites where several entries share one."""
    new = [found for found in report.findings if state(found) == "NEW"]
    count = number(len(new), "new finding")
    places = len(sites(new))
    return count if places == len(new) else f"{count} at {number(places, 'site')}"
