"""What the table calls things."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from graphaudit.rules import all_rules

if TYPE_CHECKING:
    from graphaudit.model import Effect, Finding

EFFECTS: Final[dict[Effect, str]] = {
    "resumes": "the graph is split here",
    "opaque": "the callee runs eager",
    "rest_eager": "the rest of the function runs eager",
    "frame_dropped": "the whole function runs eager",
    "not_compiled": "nothing is compiled",
    "recompile_limit": "eager after too many recompiles",
    "recompile": "recompiles",
    "stale": "a value is baked in without a guard",
    "side_effect_lost": "a side effect is lost",
    "error": "tracing fails",
}


_RAISES: Final = "fullgraph raises here"


def effect_words(found: Finding) -> str:
    """Say what `found` costs."""
    # Where only fullgraph shows it, the program runs eager without it.
    raises = found.effect == "not_compiled" and found.verdict == "fullgraph"
    return _RAISES if raises else EFFECTS[found.effect]


def number(count: int, noun: str) -> str:
    """Say `count` of `noun`: "1 entry" is "entry" with an "ies" for others."""
    if count == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {plural}"


def circumstances(found: Finding) -> list[str]:
    """Say what is special about how `found` was seen."""
    eager = found.detail.get("eager_ops") or 0
    facts = {
        f"input {found.input}": found.input > 0,
        "second call": bool(found.detail.get("warm")),
        "fullgraph only": _is_strict(found),
        "hidden behind another break": found.seen_by == "see-through",
        "made by an earlier break": bool(found.detail.get("secondary")),
        "not confirmed": not found.confirmed,
        "rests on invented values": found.invented_data,
        f"seen {found.count:,} times": found.count > 1,
        f"{number(eager, 'operator')} outside graphs": eager > 0,
    }
    return [fact for fact, holds in facts.items() if holds]


def _is_strict(found: Finding) -> bool:
    """Say whether a plain compile gets through what `found` is about."""
    strict = found.verdict == "fullgraph" and found.seen_by == "trace"
    return strict and found.effect != "recompile"


def rule_words(found: Finding) -> str:
    """Give the id of the rule, its name where this version has that rule, and Dynamo's id."""
    words = [found.rule, _rule_names().get(found.rule), f"[{found.gb}]" if found.gb else None]
    return " ".join(word for word in words if word)


def chain_words(found: Finding) -> str:
    """Say, a line each, how the root cause leads to what Dynamo did; "" where it is all of it."""
    if len(found.chain) < 2:
        return ""
    root, *rest = found.chain
    names = _gb_names()
    steps = [f"root {root} {found.gb_type}", *(f"then {gb} {names.get(gb, '')}" for gb in rest)]
    return "\n".join(step.strip() for step in steps)


@cache
def _gb_names() -> dict[str, str]:
    return {gb: name for rule in all_rules() for gb, name in rule.covers}


@cache
def _rule_names() -> dict[str, str]:
    return {rule.id: rule.name for rule in all_rules()}
