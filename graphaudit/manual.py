"""The manual: a page for each rule, and Dynamo's own words for each of its ids."""

from __future__ import annotations

import difflib
import re
import textwrap
from typing import TYPE_CHECKING, Final

from graphaudit._dynamo import registry
from graphaudit.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphaudit.rules._rule import Rule

_ASKED: Final = re.compile(r"(GA|GB)[ _-]?(\d{1,4})", re.IGNORECASE)
_DIGITS: Final = {"GA": 3, "GB": 4}
_WIDTH: Final = 100
_LIST: Final = "`graphaudit explain` without an id lists all rules"


class UnknownId(LookupError):  # noqa: N818 # it reads as what it is: `except UnknownId`
    """Nothing is known by this id. The message says what is near and how to list all."""


def page(ident: str) -> str:
    """Get the manual page for a rule ("GA001", "import_in_body") or for Dynamo's id ("GB0069").

    Raises:
        UnknownId: There is no such rule, and neither rules nor Dynamo know such an id.
        RegistryError: Dynamo's list, which is asked for what is no rule, cannot be read.
    """
    ident = ident.strip()
    wanted = _normalised(ident)
    for rule in all_rules():
        if wanted in {rule.id, rule.name}:
            return _rule_page(rule)
    covering = tuple(rule for rule in all_rules() if wanted in _ids(rule))
    known = registry.entry(wanted)
    if covering or known:
        return _dynamo_page(wanted, covering, known)
    raise UnknownId(f"{ident}: no such rule or break{_near(wanted)}; {_LIST}")


def index() -> str:
    """List all rules, one a line, in the order in which they are asked."""
    rules = all_rules()
    width = max(len(rule.name) for rule in rules)
    return "\n".join(f"{rule.id}  {rule.name:{width}}  {rule.title}" for rule in rules) + "\n"


def _normalised(ident: str) -> str:
    """Write an id as we print it: "gb69" becomes "GB0069", "ga1" becomes "GA001"."""
    match = _ASKED.fullmatch(ident)
    if match is None:
        return ident
    kind = match[1].upper()
    return f"{kind}{int(match[2]):0{_DIGITS[kind]}}"


def _rule_page(rule: Rule) -> str:
    return f"{rule.id} {rule.name}: {rule.page}\n"


def _dynamo_page(gb: str, covering: Sequence[Rule], known: registry.Entry | None) -> str:
    lines = [f"{gb} {_type_of(gb, covering, known)}".strip(), ""]
    if covering:
        for rule in covering:
            lines += [f"{rule.id} {rule.name}: {rule.title}", _filled("Fix", rule.fix)]
    else:
        lines.append("No rule of ours is for this id: such sites are GA000.")
    return "\n".join([*lines, "", *_in_dynamos_words(known)]) + "\n"


def _type_of(gb: str, covering: Iterable[Rule], known: registry.Entry | None) -> str:
    """Get the type of a break, from our pages first: GB0170 is `_gb_type` in Dynamo's list."""
    names = [name for rule in covering for code, name in rule.covers if code == gb]
    return next(filter(None, names), known.gb_type if known else "")


def _in_dynamos_words(known: registry.Entry | None) -> Iterator[str]:
    if known is None:
        yield "Dynamo's own words: torch is not installed here, or its version has no such id."
        return
    yield "Dynamo's own words:"
    told = [("Context", known.context), ("Explanation", known.explanation)]
    told += [("Hint", hint) for hint in known.hints]
    yield _filled("Type", known.gb_type)
    for label, text in told:
        # The list holds the bare name of a variable for some texts: `msg`, `explanation`.
        if text.strip() and not text.strip().isidentifier():
            yield _filled(label, text)


def _filled(label: str, text: str) -> str:
    words = f"{label}: {' '.join(text.split())}"
    return textwrap.fill(
        words,
        _WIDTH,
        initial_indent="    ",
        subsequent_indent="        ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _ids(rule: Rule) -> set[str]:
    return {gb for gb, _ in rule.covers}


def _near(wanted: str) -> str:
    names = [name for rule in all_rules() for name in (rule.id, rule.name, *_ids(rule)) if name]
    names += [one.gb for one in registry.entries()]
    near = difflib.get_close_matches(wanted, sorted(set(names)), 3)
    return f", did you mean {' or '.join(near)}?" if near else ""
