"""An exception that is no graph break, and whose code raised it: Dynamo's, or the program's."""

from __future__ import annotations

from dataclasses import replace
from types import GeneratorType
from typing import TYPE_CHECKING, Final

from torch._dynamo import exc

from graphaudit._dynamo import causes, stacks

if TYPE_CHECKING:
    from graphaudit.model import Cause

# Contexts for the rules: Dynamo gives none of its own for an exception.
DYNAMOS_OWN: Final = "raised by Dynamo's own code"
BEHIND_A_BREAK: Final = "raised behind a graph break"
GENERATOR_LOST: Final = "a generator became a plain iterator at a graph break"
# a generator that is alive at a break comes out of it as the rest of its items
_IN_PLACE_OF_GENERATOR: Final[tuple[type, ...]] = (type(iter(())), type(iter([])))


def cause_of(error: BaseException) -> Cause:
    """Describe an exception; its context says whose code raised it, where that tells."""
    cause = causes.of_exception(error)
    if isinstance(error, exc.TorchDynamoException):
        return cause
    if stacks.is_dynamos_own(error):
        return replace(cause, context=DYNAMOS_OWN)
    if not stacks.is_behind_a_break(error):
        return cause
    lost = _misses_a_generator(error)
    return replace(cause, context=GENERATOR_LOST if lost else BEHIND_A_BREAK)


def _misses_a_generator(error: BaseException) -> bool:
    """Tell whether code met what Dynamo puts in place of a generator."""
    return (
        isinstance(error, AttributeError)
        and isinstance(error.obj, _IN_PLACE_OF_GENERATOR)
        and hasattr(GeneratorType, error.name or "")
    )
