"""The records that flow from stage to stage. Frozen, without behaviour, importing nothing of ours.

`EntryPoint` comes out of discover, `Trace` with raw `Event`s out of trace, the same `Trace` with
`Break`s (sites) out of collect, `Report` with `Finding`s out of explain and gate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

SCHEMA: Final = 1

Gate = Literal["fullgraph", "default"]
Outcome = Literal["clean", "breaks", "error", "timeout", "crashed"]
Effect = Literal[
    "resumes",
    "rest_eager",
    "frame_dropped",
    "opaque",
    "not_compiled",
    "recompile_limit",
    "recompile",
    "stale",
    "side_effect_lost",
    "error",
]

# Of several events at one site the last in this order wins.
EFFECTS_BY_HARM: Final[tuple[Effect, ...]] = ("resumes", "opaque", "rest_eager", "frame_dropped")

# An effect that no other joins at a site is no break that Dynamo handled: worse than all of these.
HARM: Final[dict[Effect, int]] = {
    effect: EFFECTS_BY_HARM.index(effect) if effect in EFFECTS_BY_HARM else len(EFFECTS_BY_HARM)
    for effect in get_args(Effect)
}

GATING_EFFECTS: Final[frozenset[Effect]] = frozenset(
    {
        "resumes",
        "rest_eager",
        "frame_dropped",
        "opaque",
        "not_compiled",
        "recompile_limit",
        "error",
    }
)


# Which trace showed a site: stock Dynamo's, or the one that goes on after each break.
SeenBy = Literal["trace", "see-through"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How far a scan goes beyond what stock Dynamo shows."""

    see_through: bool = True  # look for what a break hides
    confirm: bool = True  # prove what only see-through saw
    coverage: bool = True  # count operators in graphs and outside


DEEPEST: Final = Depth()


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """Which packages a child finds, where that is not what is installed. Dotted module names."""

    without: tuple[str, ...] = ()  # as if not installed
    broken: tuple[str, ...] = ()  # installed, and fails at import
    stub: tuple[str, ...] = ()  # a stand-in where the real one cannot be imported
    auto: bool = False  # a stand-in for whatever keeps a file from being imported


AS_INSTALLED: Final = Packages()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The surroundings of a child."""

    platform: str = ""  # to simulate; the machine's own where none is named
    device: str = ""  # of the platform's devices: "H100"; its first where none is named
    packages: Packages = AS_INSTALLED


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedAt:
    """From where on breaks may be missing. Without a known place `path` is empty and `line` 0."""

    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPoint:
    """One `audit_*` factory as it stands in a file."""

    id: str  # "engine/audit.py::audit_fa_forward"
    path: str  # POSIX, relative to the folder the scan was started in
    line: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncovered:
    """A place that no factory covers: a `torch.compile` site, or a file that could not be read."""

    path: str
    line: int
    what: str
    kind: Literal["site", "unread"] = "site"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A file that defines entries but cannot be parsed."""

    entry: EntryPoint
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """What stands in the scanned files, found without importing them."""

    entries: tuple[EntryPoint, ...]
    uncovered: tuple[Uncovered, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place in a file. `line`, `end_line` and `column` count from 1."""

    path: str
    line: int
    end_line: int
    column: int | None
    qualname: str  # "Class.method", "outer.inner"; "<module>" at the top level
    source: str  # the line, stripped; "" if the file cannot be read
    indent: int = 0  # characters that were stripped in front


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One of Dynamo's own reasons. Texts are its words; `gb` is None where it gives no id."""

    gb: str | None  # "GB0069"
    gb_type: str  # "Import failure"; the exception's type where Dynamo names no type
    context: str = ""
    explanation: str = ""
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One break or error as Dynamo reported it, with absolute paths."""

    verdict: Gate  # which trace showed it
    # True in the pass that has fullgraph's capture settings but goes on after a break
    capture: bool = False
    input: int = 0
    warm: bool = False  # shown by the second call with the same input
    effect: Effect
    causes: tuple[Cause, ...]  # root first
    stack: tuple[Location, ...]  # frames that Dynamo traced, outermost first
    above: tuple[Location, ...] = ()  # the Python stack above Dynamo, outermost first
    seen_by: SeenBy = "trace"
    confirmed: bool = True
    secondary: bool = False  # about an object that an earlier break made


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """All events with one user line and one root cause: a site."""

    verdict: Gate
    fullgraph: bool  # also a break under fullgraph's own capture settings
    input: int
    warm: bool
    effect: Effect
    causes: tuple[Cause, ...]
    site: Location
    library: Location | None  # the deepest frame, where that is a library's
    count: int
    seen_by: SeenBy = "trace"
    confirmed: bool = True  # stock Dynamo shows it, if need be behind what is mended in thought
    secondary: bool = False  # mending an earlier site takes it away


@dataclass(frozen=True, slots=True, kw_only=True)
class FullgraphVerdict:
    """What the fullgraph pre-pass said. Without `ok`, unknown keys are None."""

    ok: bool
    gb: str | None = None
    gb_type: str | None = None
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EagerOps:
    """Operators outside any graph that were called from one place."""

    # Python frames from the entry's callable down, without torch's compiler; empty where there is
    # no Python code above the operator
    stack: tuple[Location, ...]
    ops: int
    names: tuple[str, ...]  # each once, in order of appearance: ("aten::matmul", "aten::relu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Operators of one call."""

    in_graph: int
    eager: int
    eager_at: tuple[EagerOps, ...]  # in order of appearance
    compiling: int = 0  # Dynamo's own, in neither
    complete: bool = True  # False where the call raised: what comes later is not counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What one entry gave on one platform."""

    entry: EntryPoint
    platform: str
    gate: Gate = "fullgraph"
    failure: Literal["error", "timeout", "crashed"] | None = None
    message: str = ""
    fullgraph: FullgraphVerdict = FullgraphVerdict(ok=False)
    fullgraph_event: Event | None = None  # raw: what fullgraph raised
    captured: bool = False  # a pass with fullgraph's capture settings was run as well
    fake: bool = False  # traced on fake tensors: values are invented
    simulated: bool = False  # on a device that is not there
    inputs: int = 0  # that the factory gave for this callable
    graphs: int = 0  # graphs that reached the backend in the first call
    events: tuple[Event, ...] = ()  # raw, emptied by collect
    breaks: tuple[Break, ...] = ()  # filled by collect
    complete: bool | None = None  # every site is listed; None where none was looked for
    stopped_at: StoppedAt | None = None
    coverage: Coverage | None = None
    notes: tuple[str, ...] = ()  # what the reader must know of this entry
    losses: tuple[str, ...] = ()  # hooks that this torch lacks, and what is lost with each
    seconds: float = 0.0


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
