"""`except*`: which part of a group a clause takes, and what is raised behind the last clause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch._dynamo.variables import ConstantVariable

from graphaudit._dynamo.see_through.raising import exception
from graphaudit._dynamo.see_through.signals import translators

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphaudit._dynamo.see_through.steps import Step


def match_group(step: Step, _inst: Any, _original: Any) -> None:
    """Split the exception on the stack by a class; push what does not match and what does."""
    tx = step.tx
    kind = step.real(tx.pop())
    raised = step.real(tx.stack[-1])
    _put_real(step, tx.stack[-1], raised)
    rest, matching = split(raised, kind)
    if matching is None:
        tx.push(ConstantVariable.create(None))
        return
    tx.pop()
    for part in (rest, matching):
        tx.push(_part(step, part))
    tx.exn_vt_stack.pop()
    tx.exn_vt_stack.append(tx.stack[-1])  # what a bare `raise` of the clause means


def raise_again(step: Step, _inst: Any, _original: Any) -> None:
    """Join what the clauses have raised and left; push None where nothing is to be raised."""
    raised = step.real(step.tx.pop())
    caught = step.real(step.tx.pop())
    step.tx.push(_part(step, joined(caught, raised)))


def split(raised: BaseException, kind: Any) -> tuple[Any, Any]:
    """Give the part of an exception that is not of some kind, and the one that is."""
    if isinstance(raised, BaseExceptionGroup):
        matching, rest = raised.split(kind)
        return rest, matching
    if isinstance(raised, kind):
        return None, BaseExceptionGroup("", [raised])
    return raised, None


def joined(caught: BaseException, raised: Sequence[BaseException | None]) -> Any:
    """Give what is raised behind the clauses.

    Args:
        caught: The exception that they were about.
        raised: What each has raised, and what none has taken.
    """
    some = [one for one in raised if one is not None]
    if not some or not isinstance(caught, BaseExceptionGroup):
        return some[0] if some else None
    known = set(map(id, _leaves(caught)))
    new = [one for one in some if not known.issuperset(map(id, _leaves(one)))]
    old = {id(leaf) for one in some if one not in new for leaf in _leaves(one)}
    left = caught.subgroup(lambda leaf: id(leaf) in old)
    if not new:
        return left
    return BaseExceptionGroup("", [*new, *([left] if left else [])])


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error


def _part(step: Step, part: BaseException | None) -> Any:
    if part is None:
        return ConstantVariable.create(None)
    made = exception(step.world, step.tx, part)
    step.world.continued[id(made)] = made, step.draft  # one `try`, one site
    return made


def _put_real(step: Step, vt: Any, raised: BaseException) -> None:
    """Put a real exception in the place of one in the trace: its parts are told by identity."""
    if id(vt) in step.world.continued:
        return
    made = _part(step, raised)
    for one in translators(step.tx):
        one.stack[:] = [made if item is vt else item for item in one.stack]
