"""Recognised by the word in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA048"


def itertools_call(found: Break) -> bool:
    """An itertools function with arguments that are not traced.

    Why: Dynamo has its own versions of `accumulate`, `groupby`, `product` and `cycle`, which need
        constant keys and few options.

    Fix: Write the loop out, or group and count on the host before the compiled call.

    Bad:
        import itertools

        def f(x):
            groups = itertools.groupby([x.sum(), x.max()])
            return x + len(list(groups))

    Good:
        import itertools

        def f(x):
            groups = itertools.groupby([1, 1, 2])
            return x + len(list(groups))

    Dynamo:
        GB0115 Unexpected failure during itertools.groupby() iteration
        GB0152 Unsupported key type for itertools.groupby
        GB0134 Unsupported arguments for itertools.groupby
        GB0155 Unsupported kwargs for itertools.groupby
        GB0114 Unexpected failure during itertools.accumulate() iteration
        GB0132 Unsupported `func` in itertools.accumulate
        GB0133 Unsupported arguments for itertools.accumulate
        GB0154 Unsupported kwargs for itertools.accumulate
        GB0268 Unsupported kwargs for itertools.product
        GB0192 input iterator to itertools.cycle has too many items
    """
    return "itertools" in root(found).gb_type
