"""The records that flow from stage to stage. Frozen, without behaviour, importing nothing of ours.

`EntryPoint` comes out of discover, `Trace` with raw `Event`s out of trace, the same `Trace` with
`Break`s (sites) out of collect, `Report` with `Finding`s out of explain and gate.
"""

from __future__ import annotations

from graphaudit.model.places import (
    Discovery,
    EntryPoint,
    Location,
    StoppedAt,
    Uncovered,
    Unreadable,
)
from graphaudit.model.reports import (
    SCHEMA,
    Accepted,
    EagerLine,
    Entry,
    Environment,
    Finding,
    LibraryFrame,
    Outcome,
    Report,
    Scope,
    Stale,
    Verdict,
)
from graphaudit.model.settings import (
    AS_INSTALLED,
    DEEPEST,
    Depth,
    Gate,
    Packages,
    Setting,
)
from graphaudit.model.traces import (
    EFFECTS_BY_HARM,
    GATING_EFFECTS,
    HARM,
    Break,
    Cause,
    Coverage,
    EagerOps,
    Effect,
    Event,
    FullgraphVerdict,
    SeenBy,
    Trace,
)

__all__ = (
    "AS_INSTALLED",
    "DEEPEST",
    "EFFECTS_BY_HARM",
    "GATING_EFFECTS",
    "HARM",
    "SCHEMA",
    "Accepted",
    "Break",
    "Cause",
    "Coverage",
    "Depth",
    "Discovery",
    "EagerLine",
    "EagerOps",
    "Effect",
    "Entry",
    "EntryPoint",
    "Environment",
    "Event",
    "Finding",
    "FullgraphVerdict",
    "Gate",
    "LibraryFrame",
    "Location",
    "Outcome",
    "Packages",
    "Report",
    "Scope",
    "SeenBy",
    "Setting",
    "Stale",
    "StoppedAt",
    "Trace",
    "Uncovered",
    "Unreadable",
    "Verdict",
)
