"""Dynamo's reasons, read from its messages.

A break that happens while another is handled carries both texts, the root first, joined by a
marker line (`torch/_dynamo/exc.py`, `unimplemented`). A text starts with its type, says
`Explanation:` and `Hint:`, and may link to the page of its id.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from torch._dynamo import exc

from graphaudit._target.words import message_of, short
from graphaudit.model import Cause

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MARKER: Final = "*** While handling this graph break, another graph break occurred: ***"
_ID: Final = re.compile(r"/gb/gb(\d+)\.html", re.IGNORECASE)
_CONTEXT: Final = re.compile(r"\n\s*Developer debug context:(.*?)(?:\n\n|\Z)", re.DOTALL)
_EXPLANATION: Final = re.compile(
    r"\n\s*Explanation:(.*?)(?=\n\s*Hint:|\n\s*Developer debug|\Z)", re.DOTALL
)
_HINT: Final = re.compile(r"\n\s*Hint:(.*?)(?=\n\s*Hint:|\n\s*Developer debug|\Z)", re.DOTALL)


def chain(message: str, known: Mapping[str, Cause]) -> tuple[Cause, ...]:
    """Split a break's message into its causes, root first.

    Args:
        message: `Unsupported.msg`.
        known: Causes whose fields were seen when their text was made, by that text without
            newlines around it.
    """
    return tuple(_cause(part, known) for part in message.split(MARKER))


def gb_id(gb_type: str) -> str | None:
    """Look up Dynamo's id for a type of break, such as GB0069 for "Import failure"."""
    find_link = getattr(exc, "get_gbid_documentation_link", None)
    link = find_link(gb_type) if find_link else None
    found = _ID.search(link or "")
    return f"GB{found[1]}" if found else None


def of_exception(error: BaseException) -> Cause:
    """Describe an exception that is no graph break."""
    text = message_of(error).partition("\nfrom user code:")[0]
    return Cause(gb=None, gb_type=type(error).__name__, explanation=short(text.strip()))


def of_fields(gb_type: str, context: object, explanation: object, hints: Iterable[object]) -> Cause:
    """Describe a break by the fields that its message is made of."""
    return Cause(
        gb=gb_id(gb_type),
        gb_type=gb_type,
        context=short(str(context)),
        explanation=short(str(explanation)),
        hints=tuple(short(str(hint)) for hint in hints),
    )


def _cause(part: str, known: Mapping[str, Cause]) -> Cause:
    text = part.strip("\n")
    return known.get(text) or _parsed(text)


def _parsed(text: str) -> Cause:
    gb_type = text.partition("\n")[0].strip()
    link = _ID.search(text)
    return Cause(
        gb=f"GB{link[1]}" if link else gb_id(gb_type),
        gb_type=gb_type,
        context=short(_first(_CONTEXT, text)),
        explanation=short(_first(_EXPLANATION, text)),
        hints=tuple(short(" ".join(hint.split())) for hint in _HINT.findall(text)),
    )


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return " ".join(found[1].split()) if found else ""
