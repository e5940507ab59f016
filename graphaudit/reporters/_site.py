"""A site in the table: what happens where, the line, why, what to do and who is concerned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from graphaudit.reporters._paint import flow, labelled
from graphaudit.reporters._sites import site_state, state, worst
from graphaudit.reporters._source import source_lines
from graphaudit.reporters._text import shortened
from graphaudit.reporters._visible import visible
from graphaudit.reporters._words import chain_words, circumstances, effect_words, rule_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphaudit.model import Effect, Finding
    from graphaudit.reporters._sites import State

_STYLES: Final = {"NEW": "bold red", "error": "bold red", "accepted": "green", "note": "cyan"}
_COSTLY: Final[frozenset[Effect]] = frozenset(
    {"frame_dropped", "rest_eager", "not_compiled", "recompile_limit", "error"}
)


def site_lines(site: Sequence[Finding], *, width: int, platforms: bool) -> list[Text]:
    """Draw one site, dimmed where the baseline accepts all of it."""
    head = worst(site)
    lines = [*_head(head, site, width), *source_lines(head, width), *_advice(head, site, width)]
    lines += _entries(head, site, width=width, platforms=platforms)
    if site_state(site) == "accepted":
        for line in lines:
            line.stylize("dim")
    return lines


def _head(head: Finding, site: Sequence[Finding], width: int) -> list[Text]:
    """Say where, which rule, which effect, and whether it is new."""
    mark = site_state(site)
    column = "" if head.column is None else f":{head.column}"
    place = Text(visible(f"{head.path}:{head.line}{column}"), "" if mark == "accepted" else "bold")
    what = [
        Text(visible(rule_words(head)), "yellow"),
        Text(effect_words(head), _effect_style(head)),
    ]
    shown = Text(mark, _STYLES[mark])
    whole = Text("  ").join([place, *what, shown])
    if whole.cell_len <= width:
        return [whole]
    # So that who looks for "  NEW" finds the place on the same line.
    return [
        Text("  ").join([place, shown]),
        *flow([Text("    ").append_text(what[0]), *what[1:]], width=width, indent=4),
    ]


def _effect_style(found: Finding) -> str:
    """Give what costs more than a split graph a color of its own."""
    if not found.gates or found.accepted is not None:
        return ""
    return "bold magenta" if found.effect in _COSTLY else "magenta"


def _advice(head: Finding, site: Sequence[Finding], width: int) -> list[Text]:
    """Say why it happens, what to do, who can do it, and what stands behind it."""
    below = {f"{found.library.path}:{found.library.line}" for found in site if found.library}
    rows = {
        "why": shortened(head.why),
        "fix": head.fix,
        "who": head.who,
        "chain": chain_words(head),
        "in": "\n".join(sorted(below)),
    }
    return [
        line
        for name, text in rows.items()
        for line in labelled(name, text, width=width, cut=name in {"why", "fix"})
    ]


def _entries(head: Finding, site: Sequence[Finding], *, width: int, platforms: bool) -> list[Text]:
    """Name the entries that reach the site, and how each stands with the baseline.

    What is said of several platforms in the same words is said once.
    """
    drawn: list[Text] = []
    same: dict[tuple[State, str, str, tuple[str, ...]], list[str]] = {}
    for found in site:
        texts = (found.accepted, found.detail.get("note"), found.detail.get("capture"))
        notes = tuple(str(text or "") for text in texts)
        words = (state(found), found.entry, _facts(found, head), notes)
        same.setdefault(words, []).append(found.platform)
    for (mark, entry, facts, notes), names in same.items():
        label = "" if drawn else "  from"
        pieces = [
            Text.assemble((label.ljust(10), "cyan"), (f"{mark:<8}", _STYLES[mark])),
            Text(visible(f"{entry} on {', '.join(names)}" if platforms else entry)),
            Text(facts, "dim"),
        ]
        drawn += flow([piece for piece in pieces if piece], width=width, indent=20)
        for text in notes:
            drawn += labelled("", shortened(text), width=width, column=20)
    return drawn


def _facts(found: Finding, head: Finding) -> str:
    """Say in brackets what is special about this entry's way to the site."""
    facts = circumstances(found)
    if found.effect != head.effect:
        facts.insert(0, effect_words(found))
    return f"({', '.join(facts)})" if facts else ""
