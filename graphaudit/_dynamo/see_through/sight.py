"""What a see-through trace gives."""

from __future__ import annotations

from dataclasses import dataclass

from graphaudit.model import Cause, Location, StoppedAt


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenSite:
    """A place where Dynamo cannot go on, with its first occurrence."""

    causes: tuple[Cause, ...]  # root first
    stack: tuple[Location, ...]  # frames that Dynamo traced, outermost first
    above: tuple[Location, ...] = ()  # the stack above the traced frame, outermost first
    below: bool = False  # in a frame that ran below a real step, traced on its own afterwards
    secondary: bool = False  # about an object that a real step made: without that, no such site


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """All that one trace saw, in order of execution. It is complete if `stopped_at` is None."""

    sites: tuple[SeenSite, ...]
    errors: tuple[SeenSite, ...]  # no breaks: here torch.compile raises, even without fullgraph
    stopped_at: StoppedAt | None = None
