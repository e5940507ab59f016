"""Recognised by Dynamo's type, or the operator together with the user's line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_context, in_source, is_type

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA020"


def tensor_to_list(found: Break) -> bool:
    """A tensor becomes a Python list.

    Why: `tolist` needs the values, which do not exist while tracing. Lists of floats always break;
        lists of integers break outside fullgraph, unless scalars are captured.

    Fix: Keep the numbers on the host from the start (split sizes, sequence lengths) and pass the
        list in; or work on the tensor with indexing and masks.

    Bad:
        def f(x):
            return [value * 2 for value in x.tolist()]

    Good:
        def f(x):
            return x * 2

    Dynamo:
        GB0109 Tensor.tolist() with non-integer tensor
        GB0033 Data dependent operator

    Notes: Outside fullgraph, integer lists pass with `torch._dynamo.config.capture_scalar_outputs
        = True`; sizes made from them then need `torch._check` (GA026).
    """
    return is_type(found, "Tensor.tolist() with non-integer tensor") or (
        in_context(found, "_local_scalar_dense") and in_source(found, ".tolist(")
    )
