"""Whose line it is: the deepest that the user can change. Paths are portable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit._paths import is_generated, is_library, is_torch_or_stdlib

if TYPE_CHECKING:
    from graphaudit.model import Location


def blamed(
    stack: tuple[Location, ...], above: tuple[Location, ...] = ()
) -> tuple[Location, Location | None]:
    """Choose the line to blame.

    Args:
        stack: The frames, outermost first; not empty.
        above: Frames that called the first of them.

    Returns:
        The deepest frame outside libraries: of `stack`, else of `above`, else the deepest frame
        outside torch and the standard library, else the deepest. And the leaf of `stack`, where
        that lies in a library below the line.
    """
    # generated code has no line to show; its file's name may be a counter
    real = [place for place in stack if not is_generated(place.path)]
    leaf = (real or stack)[-1]
    for frames in (stack, above):
        for place in reversed(frames):
            if not is_library(place.path) and place.source:
                return place, leaf if place is not leaf and is_library(leaf.path) else None
    for place in reversed((*above, *stack)):
        if not is_torch_or_stdlib(place.path) and not is_generated(place.path):
            return place, leaf if place is not leaf else None
    return leaf, None
