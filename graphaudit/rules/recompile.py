"""Recognised by the effect; what changed stands in the type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA089"
EFFECT = "recompile"

_ONE_FORM: Final = "Bring tensors into one form before the call, or warm up with each that occurs."
# By the words that the type goes on with after "Recompilation: "; the first that fits counts.
_FIXES: Final = {
    "the size": "Mark what varies before the first call (`torch._dynamo.mark_dynamic`, or "
    "`dynamic=True`): then one graph takes every size. Without it the first change costs one "
    "more graph, later ones none.",
    "the range of a size": "A branch on a size, or a size of 0 or 1, makes graphs of its own: "
    "pad to sizes that one graph takes, or warm up with one input for each range.",
    "the dtype": f"{_ONE_FORM} `x.to(dtype)` at the door costs less than a graph.",
    "the stride": f"{_ONE_FORM} `x.contiguous()` gives one layout.",
    "the requires_grad": f"{_ONE_FORM} Call in one mode: inference under `torch.no_grad()`.",
    "the rank": f"{_ONE_FORM} `x.reshape` or `x.unsqueeze` give one rank.",
    "the device": _ONE_FORM,
    "the dispatch key set": _ONE_FORM,
    "the text": "Each text makes a graph. Decide on it outside of the compiled function and pass "
    "what follows from it: a flag, a number, a function.",
    "the flag": "Each value makes a graph. Set it before the first call, or warm up with both.",
    "the length": "Give containers of one length: pad, or stack the items into one tensor.",
    "the keys": "Give containers with the same keys in the same order at every call.",
    "the attributes": "Set all attributes in `__init__`, so that they are there at every call.",
    "the type": "Pass objects of one type, or warm up with each that occurs.",
    "the object": "Pass the same object at every call: a function of a module, not a lambda, a "
    "partial or a bound method that is made anew.",
    "the lifetime": "Keep the object alive as long as the compiled function: a graph that holds "
    "on to it dies with it.",
    "the global state": "Call in the same state each time (grad mode, autocast, default dtype, "
    "deterministic algorithms), or warm up in each that occurs.",
    "the sharing": "Pass separate tensors at every call, or the same one at every call: which of "
    "the arguments are one tensor is part of a graph.",
    "the backend": "Compile the function with one backend object: each one makes its own graphs.",
}
_ATTRIBUTE: Final = (
    "Keep what changes at each call out of the compiled function, or in a tensor: a buffer that "
    "is changed in place makes no new graph."
)
_BEFORE: Final = (
    "Mend the graph break that it comes out of: in one graph it is no input of the code behind a "
    "break, and nothing guards on it."
)
_NUMBER: Final = (
    "Pass it as a tensor, or mark it dynamic (`dynamic=True`): without it the first change costs "
    "one more graph, and each change where it decides a branch."
)


def recompile(found: Break) -> bool:
    """A later call makes another graph.

    Why: A guard failed: something that the graph took as constant (a size, a number, a flag, an
        attribute) has another value in a later call.

    Fix: If it varies in production, mark it dynamic (`dynamic=True`, `torch._dynamo.mark_dynamic`)
        or pass it as a tensor; if it does not, warm up with the values that occur.

    Bad (silent):
        import torch

        inputs = [(torch.ones(3), "a"), (torch.ones(3), "b")]

        def f(x, name):
            return x + 1 if name == "a" else x * 2

    Good:
        import torch

        inputs = [(torch.ones(3), torch.tensor(1)), (torch.ones(3), torch.tensor(2))]

        def f(x, number):
            return x + number

    Dynamo:
        Recompilation

    Notes: It is no graph break and does not gate. It costs a compilation at the first request that
        brings the value; at the limit (8 graphs of a function) Dynamo gives the function up.
    """
    return found.effect == EFFECT


def why_of(found: Break) -> str:
    """Say what changed."""
    return root(found).explanation


def fix_of(found: Break) -> str:
    """Say what to do about the kind of thing that changed; "" where that is not known."""
    _, _, kind = root(found).gb_type.partition(": ")
    if kind.endswith("from before a graph break"):
        return _BEFORE
    if kind.startswith(("the number", "the value")):
        name = kind.partition("`")[2]
        return _ATTRIBUTE if "." in name else _NUMBER
    return next((fix for words, fix in _FIXES.items() if kind.startswith(words)), "")
