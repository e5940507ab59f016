"""Two forms of one function side by side, as `compare` reports them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from graphaudit.model.forms import Answer, Later, PackageState
from graphaudit.model.reports import SCHEMA, Environment, Finding
from graphaudit.model.traces import FullgraphVerdict

PairOutcome = Literal["holds", "breaks", "differs", "error", "timeout", "crashed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedForm:
    """One form in a report."""

    answer: Answer  # in eager
    compiled: Answer
    same: bool  # compiled code answers as eager code does
    apart: str  # in what answers differ whose words are the same: "by up to 0.1"
    nanoseconds: float | None
    fullgraph: FullgraphVerdict
    rule: str | None  # of what stops fullgraph
    reached: tuple[str, ...]
    later: tuple[Later, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair:
    """A pair on one platform, with packages in one state. Without forms, it was not compared."""

    id: str
    path: str
    line: int
    platform: str
    packages: dict[str, PackageState]
    outcome: PairOutcome
    message: str  # why it does not hold
    agree: bool  # both forms give the same answer
    eager: ComparedForm | None
    safe: ComparedForm | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that `compare` found: schema 1."""

    environment: Environment
    pairs: tuple[ComparedPair, ...]
    findings: tuple[Finding, ...]  # what breaks either form
    schema: int = SCHEMA
    notes: tuple[str, ...] = ()
