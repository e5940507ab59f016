"""What a run found, and what a baseline holds against it: the JSON contract, schema 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from graphaudit.model.places import StoppedAt, Uncovered
from graphaudit.model.settings import Gate
from graphaudit.model.traces import Effect, FullgraphVerdict, SeenBy

SCHEMA: Final = 1


Outcome = Literal["clean", "breaks", "error", "timeout", "crashed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What the traces ran on. `None` where no child ever came up."""

    torch: str | None
    python: str
    graphaudit: str
    options: dict[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()  # that stood in for what cannot be imported
    devices: dict[str, str] = field(default_factory=dict)  # simulated: {"cuda": "H100"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EagerLine:
    """A line that runs operators outside graphs."""

    path: str
    line: int
    qualname: str
    source: str
    ops: int  # in one call
    operators: tuple[str, ...]  # "aten::matmul", each once


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry in a report."""

    id: str
    path: str
    line: int
    platform: str
    gate: Gate
    outcome: Outcome
    message: str
    fullgraph: FullgraphVerdict
    graphs: int
    ops: dict[str, int] | None = None
    complete: bool | None = None
    stopped_at: StoppedAt | None = None
    eager_at: tuple[EagerLine, ...] = ()  # most operators first
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryFrame:
    """The library's own line below the user's."""

    path: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A site with our opinion about it."""

    rule: str
    entry: str
    platform: str
    input: int
    verdict: Gate
    gates: bool
    accepted: str | None  # the baseline's reason
    path: str
    line: int
    end_line: int
    column: int | None
    qualname: str
    source: str
    gb: str | None
    chain: tuple[str, ...]
    gb_type: str
    effect: Effect
    seen_by: SeenBy = "trace"
    confirmed: bool = True
    invented_data: bool = False
    why: str
    fix: str
    who: str = ""  # who can mend it: "you", the library's name, "torch"
    count: int
    fingerprint: str
    detail: dict[str, Any] = field(default_factory=dict)
    library: LibraryFrame | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """One line of a baseline. `path`, `gb`, `torch`, `qualname`, `source` are there to be read."""

    entry: str
    platform: str  # or "*"
    fingerprint: str
    effect: Effect
    reason: str
    rule: str = ""
    path: str = ""
    qualname: str = ""
    source: str = ""
    gb: str | None = None
    torch: str | None = None
    seen_by: SeenBy = "trace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A baseline line that nothing in this run needs any more."""

    line: Accepted
    why: str  # "the entry is gone", "the site is gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a run looked at, so that a stored report can be gated without the tree."""

    paths: tuple[str, ...] = ()  # as scanned: POSIX, relative; "." is everything
    entries: tuple[str, ...] = ()  # every id that was discovered, those left out by -k too
    keyword: str | None = None  # what -k selected by
    only: tuple[str, ...] = ()  # the entries that were named, if any were


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that a run found: the JSON contract, schema 1."""

    environment: Environment
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...]
    schema: int = SCHEMA
    uncovered: tuple[Uncovered, ...] = ()
    stale: tuple[Stale, ...] = ()
    scope: Scope = Scope()
    notes: tuple[str, ...] = ()  # what the reader must know: a hook that is missing, a moved line


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the gate says of a report."""

    new: tuple[Finding, ...]
    stale: tuple[Stale, ...]
    untraced: tuple[Entry, ...]
    exit_code: int
