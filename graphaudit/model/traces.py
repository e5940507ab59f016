"""What one entry gave on one platform: raw events, then sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

from graphaudit.model.forms import Form
from graphaudit.model.places import EntryPoint, Location, StoppedAt
from graphaudit.model.settings import Gate

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
    form: Form | None = None  # where the entry is one form of a pair
    losses: tuple[str, ...] = ()  # hooks that this torch lacks, and what is lost with each
    seconds: float = 0.0
