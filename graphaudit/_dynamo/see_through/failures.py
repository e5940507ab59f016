"""What a failure is about, and whose."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from graphaudit._dynamo import stacks
from graphaudit._dynamo.see_through.record import is_user, preferred
from graphaudit._dynamo.see_through.signals import translators
from graphaudit._dynamo.see_through.wrapping import is_made

if TYPE_CHECKING:
    from collections.abc import Iterable

# Libraries of locks and waiting: half of a call for real and half in a trace waits for ever.
_INDIVISIBLE: Final = frozenset(
    {"asyncio", "concurrent", "multiprocessing", "queue", "selectors", "subprocess", "threading"}
)


def is_secondary(tx: Any, operands: Iterable[Any]) -> bool:
    """Tell whether a failure is about an object that a real step made."""
    if any(map(is_made, operands)):
        return True
    blamed = preferred(stacks.of_translator(tx)).path
    inner = takewhile(lambda one: one.f_code.co_filename != blamed, translators(tx))
    return any(is_made(vt) for one in inner for vt in one.symbolic_locals.values())


def is_indivisible(tx: Any) -> bool:
    """Tell whether a call of a library is done as a whole, by the frame that makes it."""
    module = str(tx.f_globals.get("__name__")).partition(".")[0]
    return module in _INDIVISIBLE and not is_user(tx.f_code.co_filename)
