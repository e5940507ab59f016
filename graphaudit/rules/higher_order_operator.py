"""Recognised by the names of the operators, or the words in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA074"

_WORDS: Final = (
    "HOP",
    "igher order op",
    "igherOrderOp",
    "torch.cond",
    "torch.while_loop",
    "torch.map",
    "torch.scan",
    "torch.associative_scan",
    "invoke_subgraph",
    "nonstrict_trace",
    "wrap_with_",
    "WrapHigherOrder",
    "strict_mode",
    "hints_wrapper",
    "flex_attention",
    "FlexAttention",
    "UncapturedHigherOrderOpError",
    "leaf_function",
    "check_meta_consistency",
)


def higher_order_operator(found: Break) -> bool:
    """The body of an operator that takes functions cannot be captured.

    Why: `torch.cond`, `while_loop`, `scan`, `checkpoint` and their kind put their functions into
        graphs of their own, which must be captured whole: no break, no change of outer state, no
        result that aliases an input.

    Fix: Return new tensors of one shape from each function (`x.clone()` instead of `x`), pass all
        that they need as operands, and move prints and list appends out of them.

    Bad:
        import torch

        def grow(x):
            x.add_(1)
            return x

        def f(x):
            return torch.cond(x.sum() > 0, grow, lambda y: y - 1, (x,))

    Good:
        import torch

        def grow(x):
            return x + 1

        def f(x):
            return torch.cond(x.sum() > 0, grow, lambda y: y - 1, (x,))

    Dynamo:
        GB0040 Encountered aliasing during higher order op tracing
        GB0041 Encountered input mutation during higher order op tracing
        GB0067 HigherOrderOperator: Mutating a variable not in the current scope (SideEffects)
        GB4413 HOP: Non-nullified side effect
        GB0314 HOP body output unsupported
        GB0301 HOP: non torch.Tensor leaf
        GB0306 unsupported HigherOrderOperator
        GB0307 unsupported HigherOrderOperator function call
        GB0309 torch.cond: improper args/kwargs
        GB0310 torch.cond: improper predicate
        GB0311 torch.cond: improper operands
        GB0313 torch.cond: differing branch outputs
        GB0340 torch.cond: unsupported branch return type
        GB0303 torch.while_loop: improper args/kwargs
        GB0308 torch.while_loop: unsupported cond_fn return type
        GB1177 nn.Module mutation in HigherOrderOp
        UncapturedHigherOrderOpError

    Notes: `torch.cond` compiles its functions even when called in eager, so the error appears
        there too. The cause inside the function is in Dynamo's explanation.
    """
    return any(word in root(found).gb_type for word in _WORDS)
