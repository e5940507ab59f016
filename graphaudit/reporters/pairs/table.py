"""A comparison for people at a terminal: what both forms answer, what breaks, what goes stale."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.text import Text

from graphaudit.model import APART
from graphaudit.pairs import what_stops
from graphaudit.reporters._paint import flow, painted
from graphaudit.reporters._tail import note_lines
from graphaudit.reporters._text import lines, shortened
from graphaudit.reporters._visible import visible
from graphaudit.reporters._words import number
from graphaudit.reporters._world import ran_on_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphaudit.model import (
        Answer,
        ComparedForm,
        ComparedPair,
        Comparison,
        Following,
        Later,
        PairOutcome,
    )

_INDENT: Final = 4
_FORM: Final = 7
_OUTCOMES: Final[dict[PairOutcome, str]] = {
    "holds": "hold",
    "breaks": "break",
    "differs": "differ",
    "error": "could not be compared",
    "timeout": "timed out",
    "crashed": "crashed",
}
_FOLLOWING: Final[dict[Following, str]] = {
    "unchanged": "unchanged",
    "follows": "follows",
    "cached": "eager and compiled keep the old answer",
    "stale": "STALE: compiled keeps the old answer",
    "ahead": "AHEAD: compiled gives the new answer, eager keeps the old one",
    "differs": "DIFFERS",
}


def render(comparison: Comparison, *, width: int = 100, color: bool = False) -> str:
    """Draw a comparison: a block for each pair, equal results of several settings once."""
    blocks = [
        _pair_lines(list(group), width)
        for _, group in groupby(comparison.pairs, key=lambda pair: pair.id)
    ]
    held = all(pair.outcome == "holds" for pair in comparison.pairs)
    last = [
        *ran_on_lines(comparison.environment, width=width),
        *(
            Text(line, "bold green" if held else "bold red")
            for line in lines(summary(comparison), width)
        ),
    ]
    filled = [
        block for block in (*blocks, note_lines(comparison.notes, width=width), last) if block
    ]
    drawn = [line for block in filled for line in (*block, Text())][:-1]
    return painted(drawn, width=width, color=color)


def summary(comparison: Comparison) -> str:
    """Say in one line how the pairs did."""
    pairs = {pair.id for pair in comparison.pairs}
    counts = Counter(pair.outcome for pair in comparison.pairs)
    told = [f"{counts[name]:,} {words}" for name, words in _OUTCOMES.items() if counts[name]]
    settings = number(len(comparison.pairs), "comparison")
    return f"{number(len(pairs), 'pair')}, {settings}: {', '.join(told) or 'none compared'}"


def _pair_lines(pairs: Sequence[ComparedPair], width: int) -> list[Text]:
    drawn = [Text(visible(pairs[0].id), "bold")]
    for group in _alike(pairs):
        drawn += _where_lines(group, width)
        drawn += _result_lines(group, width)
    return drawn


def _alike(pairs: Iterable[ComparedPair]) -> Iterator[list[ComparedPair]]:
    """Put settings with equal results together."""
    groups: dict[object, list[ComparedPair]] = {}
    for pair in pairs:
        key = pair.outcome, pair.message, _seen(pair.eager), _seen(pair.safe)
        groups.setdefault(key, []).append(pair)
    yield from groups.values()


def _seen(form: ComparedForm | None) -> object:
    """Give what tells results apart: not the time that a call takes."""
    return form and (form.answer, form.compiled, form.fullgraph, form.reached, form.later)


def _where_lines(group: Sequence[ComparedPair], width: int) -> list[Text]:
    """Say in which settings this holds: states of the packages that share platforms in one line."""
    platforms: dict[str, list[str]] = {}
    for pair in group:
        platforms.setdefault(_state(pair), []).append(pair.platform)
    states: dict[str, list[str]] = {}
    for state, names in platforms.items():
        states.setdefault(", ".join(sorted(set(names))), []).append(state)
    drawn: list[Text] = []
    for places, same in states.items():
        told = " or ".join(filter(None, same))
        pieces = [Text(f"  on {visible(places)}"), Text(visible(f"with {told}" if told else ""))]
        drawn += flow(pieces, width=width, indent=_INDENT, gap=1)
    return drawn


def _state(pair: ComparedPair) -> str:
    return ", ".join(f"{name} {state}" for name, state in sorted(pair.packages.items()))


def _result_lines(group: Sequence[ComparedPair], width: int) -> list[Text]:
    first = group[0]
    drawn: list[Text] = []
    for name in ("eager", "safe"):
        forms = [form for pair in group if (form := getattr(pair, name))]
        if forms:
            drawn += _form_lines(name, forms, width)
    if first.outcome != "holds":
        text = f"{first.outcome}: {shortened(first.message)}"
        drawn += [_indented(line, "bold red") for line in lines(text, width - _INDENT)]
    return drawn


def _form_lines(name: str, forms: Sequence[ComparedForm], width: int) -> list[Text]:
    form = forms[0]
    pieces = [
        Text.assemble(" " * _INDENT, (name.ljust(_FORM), "cyan"), _answer(form.answer)),
        _graph(form),
    ]
    if not form.same:
        pieces.append(Text(f"compiled: {_answer(form.compiled)}", "bold red"))
    costs = [one.nanoseconds for one in forms if one.nanoseconds is not None]
    if costs:
        pieces.append(Text(f"{_time(min(costs))} a call", "dim"))
    drawn = flow(pieces, width=width, indent=_INDENT + _FORM)
    for text, style in _remarks(form):
        rows = lines(text, width - _INDENT - _FORM)
        drawn += [_indented(row, style, _INDENT + _FORM) for row in rows]
    return drawn


def _remarks(form: ComparedForm) -> Iterator[tuple[str, str]]:
    if form.reached:
        yield f"reaches {', '.join(form.reached)}", "dim"
    for following, later in groupby(form.later, key=lambda one: one.following):
        same = list(later)
        told = ", ".join(f'"{one.change}"' for one in same)
        style = "yellow" if following in APART else "dim"
        yield f"after {told}: {_FOLLOWING[following]}{_answers(following, same[0])}", style


def _answers(following: Following, later: Later) -> str:
    if following == "differs":
        return f": compiled {_answer(later.compiled)}, eager {_answer(later.eager)}"
    return ""


def _answer(answer: Answer) -> str:
    return visible(shortened(f"raises {answer.text}" if answer.raised else answer.text))


def _graph(form: ComparedForm) -> Text:
    if form.fullgraph.ok:
        return Text("one graph", "green")
    name, where = what_stops(form.fullgraph)
    rule = f"{form.rule} " if form.rule else ""
    return Text(visible(f"{rule}[{name}]{where}"), "red")


def _indented(line: str, style: str, indent: int = _INDENT) -> Text:
    return Text.assemble(" " * indent, (line, style))


def _time(nanoseconds: float) -> str:
    if nanoseconds < 1e3:
        return f"{nanoseconds:.0f} ns"
    return f"{nanoseconds / 1e3:,.1f} us" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:,.1f} ms"
