"""The records that flow from stage to stage. Frozen, without behaviour, importing nothing of ours.

`EntryPoint` comes out of discover, `Trace` with raw `Event`s out of trace, the same `Trace` with
`Break`s (sites) out of collect, `Report` with `Finding`s out of explain and gate.
"""

from __future__ import annotations

from graphaudit.model.comparisons import ComparedForm, ComparedPair, Comparison, PairOutcome
from graphaudit.model.forms import APART, Answer, Following, Form, FormName, Later, PackageState
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
    "APART",
    "AS_INSTALLED",
    "DEEPEST",
    "EFFECTS_BY_HARM",
    "GATING_EFFECTS",
    "HARM",
    "SCHEMA",
    "Accepted",
    "Answer",
    "Break",
    "Cause",
    "ComparedForm",
    "ComparedPair",
    "Comparison",
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
    "Following",
    "Form",
    "FormName",
    "FullgraphVerdict",
    "Gate",
    "Later",
    "LibraryFrame",
    "Location",
    "Outcome",
    "PackageState",
    "Packages",
    "PairOutcome",
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
