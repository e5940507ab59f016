"""Recognised by the reason that Dynamo gives for the skip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, is_skipped_call, root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA913"


def c_function(found: Break) -> bool:
    """A function without Python source is called.

    Why: `{callee}` is compiled C, C++ or Rust code, so there is nothing for Dynamo to trace.

    Fix: If it works on tensors, wrap it in a custom operator (`torch.library.custom_op` with
        `register_fake`), which becomes one node of the graph. If not, call it outside and pass the
        result in.

    Bad:
        import bisect

        def f(x):
            return x * bisect.bisect_left([1, 2, 3], 2)

    Good:
        import bisect

        PLACE = bisect.bisect_left([1, 2, 3], 2)

        def f(x):
            return x * PLACE

    Dynamo:
        GB0007 Attempted to call function marked as skipped
        GB0177

    Notes: What pybind11 binds may be shown by the name of the binding, such as
        `pybind11_object.__new__`. `torch.compiler.allow_in_graph` also makes a call one node of the
        graph, but nothing checks that this is safe.
    """
    return (is_skipped_call(found) and in_context(found, "cannot determine source file")) or (
        root(found).gb_type.startswith("can't handle functions not implemented in python")
    )
