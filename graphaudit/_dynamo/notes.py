"""What the watch notes: things of a kind that a compiled program may lose without a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from graphaudit._dynamo import stacks

if TYPE_CHECKING:
    from graphaudit.model import Location

Kind = str
ENVIRONMENT: Final = "Environment variable read"
RANDOM: Final = "Random generator drawn from"
IGNORED: Final = "Message ignored"
CACHED: Final = "Cached function traced anew"
COMPILING: Final = "Skipped while compiling"
ASSUMED: Final = "Function called once, in the trace"
IN_GRAPH: Final = "Function called in the graph"
MOVED: Final = "Message moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One thing that the watch saw."""

    kind: Kind
    what: str  # the name of the variable, the function, the message
    stack: stacks.Stack  # ends with the target's own line
    above: stacks.Stack
    index: int  # of the callable
    input: int
    code: CodeType | None = None  # of the function, where it is one of Python's

    @property
    def place(self) -> Location:
        """Give the target's own line."""
        return self.stack[-1]


@dataclass(slots=True)
class Followed:
    """A callable, and how many inputs it was given."""

    call: Callable[..., Any]
    inputs: int = 0
