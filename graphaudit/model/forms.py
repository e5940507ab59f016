"""What one form of a pair answers, eager and compiled, at once and after a change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

FormName = Literal["eager", "safe"]
PackageState = Literal["absent", "broken", "stubbed", "present"]

# What a change that comes after the first call does to a form's answer:
# unchanged  the change does not matter to this form
# follows    compiled code gives the new answer, as eager code does
# cached     both keep the old answer, which a cache of the form's own holds
# stale      compiled code keeps the old answer, eager code gives the new one
# ahead      compiled code gives the new answer; eager code keeps one that its cache holds
# differs    anything else
Following = Literal["unchanged", "follows", "cached", "stale", "ahead", "differs"]

# Where compiled code does not answer what eager code answers.
APART: Final[frozenset[Following]] = frozenset({"stale", "ahead", "differs"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call gave, in words."""

    text: str  # "True", "a tensor: float32 (4, 16) on cuda:0"; what was raised
    raised: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """What a form answers once something has changed after its first call."""

    change: str  # as the pair names it
    following: Following
    eager: Answer
    compiled: Answer
    fresh: Answer  # eager with its caches emptied
    recompiled: str = ""  # the guard that made Dynamo compile again; "" where none did


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What was measured of one form."""

    name: FormName
    answer: Answer  # in eager
    compiled: Answer
    same: bool  # compiled code answers as eager code does
    agrees: bool  # its eager answer is that of the other form
    apart: str = ""  # in what answers differ whose words are the same: "by up to 0.1"
    nanoseconds: float | None  # a warm eager call; None where the device is simulated
    reached: tuple[str, ...] = ()  # of the functions that the pair watches, in order of the calls
    later: tuple[Later, ...] = ()
    packages: dict[str, PackageState] = field(default_factory=dict)  # that the pair depends on
