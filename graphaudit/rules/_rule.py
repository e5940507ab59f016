"""A rule as the other stages see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from graphaudit.model import Break, Effect
from graphaudit.rules._cause import callee, exception, root
from graphaudit.rules._page import Example

UNKNOWN: Final = "GA000"
_LONGEST: Final = 160
_PLACEHOLDERS: Final[dict[str, tuple[str, Callable[[Break], str]]]] = {
    "`{callee}`": ("the callee", callee),
    "`{exception}`": ("an exception", exception),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Our opinion about one kind of break.

    `why` and `fix` may hold a placeholder in backticks: `why_for` and `fix_for` put in the name of
    what the found line calls or raises, `page` says "the callee" or "an exception".
    """

    id: str  # "GA001"; never used again for another rule
    name: str  # "import_in_body": the file and the function
    title: str
    why: str
    fix: str
    bad: Example
    good: Example
    covers: tuple[tuple[str, str], ...]  # Dynamo's ids and types: ("GB0069", "Import failure")
    notes: str
    page: str  # the manual page: the docstring
    matches: Callable[[Break], bool]
    why_of: Callable[[Break], str] | None = None  # more to the point than `why`; "" if it is not
    fix_of: Callable[[Break], str] | None = None
    effect: Effect | None = None  # every site with this effect is of this rule

    def why_for(self, found: Break) -> str:
        """Say why `found` breaks: for an unknown kind in Dynamo's words, if it has any."""
        told = root(found).explanation if self.id == UNKNOWN else ""
        told = self.why_of(found) if self.why_of else told
        return _one_line(told) or _filled(self.why, found)

    def fix_for(self, found: Break) -> str:
        """Say what to do about `found`: for an unknown kind, Dynamo's first hint if any."""
        hints = root(found).hints if self.id == UNKNOWN else ()
        hints = (self.fix_of(found),) if self.fix_of else hints
        return next(filter(None, map(_one_line, hints)), "") or _filled(self.fix, found)


def without_names(text: str) -> str:
    """Put general words where `why_for` puts the names of a found line."""
    for placeholder, (general, _) in _PLACEHOLDERS.items():
        text = text.replace(f": {placeholder}", f": {_capital(general)}").replace(
            placeholder, general
        )
    return text


def _filled(text: str, found: Break) -> str:
    for placeholder, (general, name_in) in _PLACEHOLDERS.items():
        name = _one_line(name_in(found)) if placeholder in text else ""
        text = text.replace(placeholder, f"`{name[:_LONGEST]}`" if name else general)
    return _capital(text)


def _capital(text: str) -> str:
    first = text.partition(" ")[0]
    # `torch.optim` is a name and keeps its form
    return text if "." in first or "_" in first else text[:1].upper() + text[1:]


def _one_line(text: str) -> str:
    return " ".join(text.split())
