"""What a failure is about, and whose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from torch._dynamo.variables import TensorVariable

from graphaudit._dynamo.see_through.wrapping import is_made
from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Iterable

# Libraries of locks and waiting: half of a call for real and half in a trace waits for ever.
_INDIVISIBLE: Final = frozenset(
    {"asyncio", "concurrent", "multiprocessing", "queue", "selectors", "subprocess", "threading"}
)


def is_secondary(operands: Iterable[Any]) -> bool:
    """Tell whether a failure is about an object that a real step made.

    A tensor is no such object: what a mended step gives is a tensor as well.
    """
    return any(is_made(vt) and not isinstance(vt, TensorVariable) for vt in operands)


def is_indivisible(tx: Any) -> bool:
    """Tell whether a call of a library is done as a whole, by the frame that makes it."""
    module = str(tx.f_globals.get("__name__")).partition(".")[0]
    return module in _INDIVISIBLE and not is_targets(tx.f_code.co_filename)
