"""The door: one call, traced with everything that breaks in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from graphaudit._dynamo import stacks
from graphaudit._dynamo.see_through import patches
from graphaudit._dynamo.see_through.draining import drained, is_coroutine
from graphaudit._dynamo.see_through.record import Record
from graphaudit._dynamo.see_through.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphaudit._dynamo.see_through.sight import Sight


def see_through(
    call: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    fullgraph: bool,
    options: dict[str, Any],
) -> Sight:
    """Trace a call once, going on behind each break.

    What the call does beyond Python objects and tensors (prints, files) happens as in a plain
    call; in a function that only runs below a break, once more.

    Args:
        call: What would be compiled.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
        fullgraph: Judge as fullgraph does, which captures scalars and dynamic shapes.
        options: Further options of `torch.compile`.

    Returns:
        Every site on the path that these arguments take, or where the trace stopped.
    """
    record = Record(fullgraph=fullgraph)
    why_not = _obstacle(call)
    if why_not:
        record.doubt_at(stacks.of_callable(call), why_not)
    else:
        run(Session(record, fullgraph=fullgraph, options=options), call, args, kwargs)
    return record.sight()


def _obstacle(call: Callable[..., Any]) -> str:
    missing = patches.losses()
    if missing:
        return f"torch {torch.__version__} cannot be traced: {'; '.join(missing)}"
    return "a coroutine is not traced" if is_coroutine(call) else ""


def run(
    session: Session, call: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Do all of a session: the call, what ran below its real steps, what leads to its target."""
    grad = torch.is_grad_enabled()
    try:
        session.trace_entry(drained(call), args, kwargs)
        session.trace_below()
        session.trace_inlined()
    finally:
        session.put_back()
        torch.set_grad_enabled(grad)
