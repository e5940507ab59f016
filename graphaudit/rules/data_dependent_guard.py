"""Recognised by the text: the exceptions are not graph breaks and have several names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA026"


def data_dependent_guard(found: Break) -> bool:
    """A decision about a number that comes out of a tensor.

    Why: The number was captured as an unknown (`u0`); code that branches on it, loops over it or
        indexes a Python list by it needs its value while tracing.

    Fix: Tell the compiler what holds for it, right after it is made: `torch._check(n <= limit)`;
        or pass the number in as a Python int; or replace the Python list by a stacked tensor.

    Bad:
        def f(x):
            count = x.sum().long().item()
            if count > 2:
                return x + 1
            return x

    Good:
        import torch

        def f(x):
            count = x.sum().long().item()
            torch._check(count > 2)
            if count > 2:
                return x + 1
            return x

    Dynamo:
        GuardOnDataDependentSymNode
        UserError

    Notes: Appears under fullgraph, where scalars are captured; plain `torch.compile` breaks
        earlier, at the `item()` (GA021), and a scan shows the branch itself as GA025.
        `torch._check` is a promise: it raises at run time where it does not hold.
    """
    return is_type(
        found, "GuardOnDataDependentSymNode", "Attempted to wrap unbacked SymInt"
    ) or says(found, "data-dependent expression", "PendingUnbackedSymbolNotFound")
