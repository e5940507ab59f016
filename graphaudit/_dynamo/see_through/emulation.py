"""Emulating one instruction that Dynamo could not trace, its operands on the translator's stack."""

from __future__ import annotations

import sys
from types import MethodType
from typing import TYPE_CHECKING, Any, Final

from torch._dynamo.variables import ConstantVariable
from torch._dynamo.variables.builder import SourcelessBuilder
from torch._dynamo.variables.iter import IteratorVariable

from graphaudit._dynamo.see_through.groups import match_group, raise_again
from graphaudit._dynamo.see_through.opcodes import emulation
from graphaudit._dynamo.see_through.signals import CannotGoOn

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.steps import Step

Instruction = Any
Original = Any  # callable of translator and instruction: Dynamo's own handler
_EXHAUSTED: Final = object()
_PREP_RERAISE_STAR: Final = 1


def emulate(step: Step, inst: Instruction, original: Original) -> None:
    """Do an instruction for real; the translator's stack and position are as after it.

    Raises:
        CannotGoOn: There is no emulation of it, or no real operand.
        ObservedException: What it raised, for the handlers in the trace.
    """
    opname = name_of(inst)
    if "JUMP" in opname and "IF" in opname:
        _jump(step, inst)
    elif opname in _SPECIAL:
        _SPECIAL[opname](step, inst, original)
    else:
        _plain(step, inst)


def name_of(inst: Instruction) -> str:
    """Give the name of an instruction; since Python 3.12 some are arguments of one."""
    is_reraise = inst.opname == "CALL_INTRINSIC_2" and inst.arg == _PREP_RERAISE_STAR
    return "PREP_RERAISE_STAR" if is_reraise else str(inst.opname)


def _plain(step: Step, inst: Instruction) -> None:
    known = emulation(inst, step.tx.f_globals)
    if known is None:
        raise CannotGoOn(f"no emulation of {inst.opname}")
    operands = step.tx.popn(known.operands) if known.operands else []
    result = step.do(inst.opname, known.function, [step.real(vt) for vt in operands])
    if known.has_result:
        _push(step, inst, step.wrap(result))


def _push(step: Step, inst: Instruction, result: Any) -> None:
    """Push a result, beside the NULL that a following call expects."""
    null, first = _pushes_null(inst), sys.version_info < (3, 13)
    if null and first:
        step.tx.PUSH_NULL(inst)
    step.tx.push(result)
    if null and not first:
        step.tx.PUSH_NULL(inst)


def _pushes_null(inst: Instruction) -> bool:
    if inst.opname == "LOAD_METHOD":
        return True
    if inst.opname == "LOAD_ATTR":
        return sys.version_info >= (3, 12) and bool(inst.arg & 1)
    return inst.opname in ("LOAD_GLOBAL", "LOAD_SUPER_ATTR") and bool(inst.arg & 1)


def _jump(step: Step, inst: Instruction) -> None:
    opname, tx = inst.opname, step.tx
    if opname.endswith("NONE"):
        taken = (step.real(tx.stack[-1]) is None) != opname.endswith("NOT_NONE")
    else:
        truth = step.do("bool", bool, [step.real(tx.stack[-1])])
        taken = truth == ("IF_TRUE" in opname)
    if not (taken and opname.endswith("OR_POP")):
        tx.pop()
    if taken:
        tx.jump(inst)


def _next(step: Step, inst: Instruction, _original: Original) -> None:
    tx = step.tx
    value = step.do("next", next, [_iterator(step), _EXHAUSTED])
    if value is not _EXHAUSTED:
        tx.push(step.wrap(value))
        return
    if sys.version_info >= (3, 12):
        tx.push(ConstantVariable.create(None))  # END_FOR, where the jump leads, pops it
    else:
        tx.pop()
    tx.jump(inst)


def _send(step: Step, inst: Instruction, _original: Original) -> None:
    """Take what an iterator that is delegated to gives next; at its end, its result."""
    tx = step.tx
    value = step.real(tx.pop())
    is_end, given = step.do("send", _sent, [_iterator(step), value])
    if is_end:
        if sys.version_info < (3, 12):
            tx.pop()  # later, END_SEND does it
        tx.push(step.wrap(given))
        tx.jump(inst)
    else:
        tx.push(step.wrap(given))


def _iterator(step: Step) -> Any:
    """Give the iterator on top of the stack; from here on it goes on outside the trace."""
    vt = step.tx.stack[-1]
    iterator = step.real(vt)
    if isinstance(vt, IteratorVariable):
        step.world.take_over(step.tx, vt, iterator, step.draft)
    return iterator


def _sent(receiver: Any, value: Any) -> tuple[bool, Any]:
    try:
        return False, next(receiver) if value is None else receiver.send(value)
    except StopIteration as end:
        return True, end.value


def _with_list(step: Step, inst: Instruction, original: Original) -> None:
    """Let Dynamo take the items out of a list instead of an object that it cannot iterate."""
    items = step.do("list", list, [step.real(step.tx.pop())])
    step.tx.push(step.world.sequence(step.tx, items))
    original(step.tx, inst)


def _with_dict(step: Step, inst: Instruction, original: Original) -> None:
    items = step.do("dict", dict, [step.real(step.tx.pop())])
    made = SourcelessBuilder.create(step.tx, {})
    step.tx.push(made)
    for key, value in items.items():
        made.call_method(step.tx, "__setitem__", [step.wrap(key), step.wrap(value)], {})
    original(step.tx, inst)


def _enter(step: Step, _inst: Instruction, _original: Original) -> None:
    manager = step.real(step.tx.pop())
    value = step.do("__enter__", type(manager).__enter__, [manager])
    leave = step.wrap(MethodType(type(manager).__exit__, manager))
    step.world.continued[id(leave)] = leave, step.draft
    step.tx.push(leave)
    step.tx.push(step.wrap(value))


def _match_exception(step: Step, _inst: Instruction, _original: Original) -> None:
    kind = step.real(step.tx.pop())
    step.tx.push(step.wrap(isinstance(step.real(step.tx.stack[-1]), kind)))


def _length(step: Step, _inst: Instruction, _original: Original) -> None:
    step.tx.push(step.wrap(step.do("len", len, [step.real(step.tx.stack[-1])])))


_SPECIAL: Final[dict[str, Callable[[Step, Instruction, Original], None]]] = {
    "BEFORE_WITH": _enter,
    "CHECK_EG_MATCH": match_group,
    "CHECK_EXC_MATCH": _match_exception,
    "DICT_MERGE": _with_dict,
    "DICT_UPDATE": _with_dict,
    "FOR_ITER": _next,
    "GET_LEN": _length,
    "LIST_EXTEND": _with_list,
    "PREP_RERAISE_STAR": raise_again,
    "SEND": _send,
    "SET_UPDATE": _with_list,
    "UNPACK_EX": _with_list,
    "UNPACK_SEQUENCE": _with_list,
}
