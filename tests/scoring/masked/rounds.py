"""How often a reader of a tool edits and runs again until stock fullgraph passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tests.scoring.masked.views import Shown, by_fullgraph

if TYPE_CHECKING:
    from graphaudit._target.factory import Input
    from tests.scoring.masked.files import MaskedFile

View = Callable[["Input"], Shown]

_CAP: Final = 20


def rounds(file: MaskedFile, name: str, view: View, first: Shown) -> int | None:
    """Mend what a tool shows, and ask it again, until the call is one graph.

    Args:
        file: The marked file.
        name: One of its functions.
        view: The tool.
        first: What the tool shows of the function as it stands.

    Returns:
        The rounds of mending; None where the tool shows nothing more and breaks are left.
    """
    mended: set[int] = set()
    shown = first
    for done in range(1, _CAP + 1):
        new = (shown.lines & file.marks.keys()) - mended
        if not new:
            return None
        mended |= new
        if is_one_graph(file, name, mended):
            return done
        shown = view(file.call(name, mended))
    return None


def is_one_graph(file: MaskedFile, name: str, mended: set[int]) -> bool:
    """Tell whether stock fullgraph passes with some lines mended."""
    shown = by_fullgraph(file.call(name, mended))
    return not (shown.lines or shown.elsewhere or shown.stopped)
