"""Lines of a baseline written from what a run shows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphaudit.gate.pairing import rank, worst
from graphaudit.model import Accepted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.model import Finding


def accept(found: Finding, torch: str | None, *, reason: str) -> Accepted:
    """Give the line that accepts `found` on its platform."""
    return Accepted(
        entry=found.entry,
        platform=found.platform,
        fingerprint=found.fingerprint,
        effect=found.effect,
        reason=reason,
        rule=found.rule,
        path=found.path,
        qualname=found.qualname,
        source=found.source,
        gb=found.gb,
        torch=torch,
        seen_by=found.seen_by,
    )


def renew(line: Accepted, shown: Sequence[Finding], torch: str | None) -> list[Accepted]:
    """Give what has to stand in place of `line` when it stands for the findings `shown`.

    Args:
        line: The line as it is.
        shown: Its findings in this run, one a platform; none if the run says nothing of the line.
        torch: The version that showed them.

    Returns:
        One line, unchanged if it fits as it is. More only for a `*` line that cannot hold what its
        platforms show: then a line for each platform that differs, with the same reason.
    """
    if all(_holds(line, found) for found in shown):
        return [line]
    fitting = [found for found in shown if rank(line, found, torch) is not None]
    effects = {found.effect for found in shown} | ({line.effect} if fitting else set())
    effect = worst(effects)
    if effect is None or len({found.entry for found in shown}) > 1:
        kept = [found for found in fitting if found.entry == line.entry]
        changed = [found for found in shown if found not in kept]
        return [
            *(renew(line, kept, torch) if kept else []),
            *(accept(found, torch, reason=line.reason) for found in changed),
        ]
    ids = {found.gb for found in shown}
    gb = ids.pop() if line.gb is not None and len(ids) == 1 else None
    found = shown[0]
    return [replace(line, entry=found.entry, path=found.path, effect=effect, gb=gb, torch=torch)]


def _holds(line: Accepted, found: Finding) -> bool:
    """Say whether `line` needs no change to go on accepting `found`."""
    return (
        line.entry == found.entry
        and line.gb in (None, found.gb)
        and worst((line.effect, found.effect)) == line.effect
    )
