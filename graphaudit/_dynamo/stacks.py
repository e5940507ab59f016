"""Where Dynamo stands in the user's code: stacks of translators, frames and tracebacks.

An exception of Dynamo's carries the frames that it traced (`real_stack`), without end lines, and
with the line of a conditional jump where the reader looks for the condition: CPython puts the jump
of a condition of several lines on another line than its operand. A translator knows its
instructions. So `real_stack` says where, and the translators that stand there say it better.
"""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._dynamo import convert_frame
from torch._dynamo.resume_execution import TORCH_DYNAMO_RESUME_IN_PREFIX
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from graphaudit._target.source import locate
from graphaudit.model import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType, TracebackType

# as code objects spell it, which differs from a resolved path in a checkout behind a link
OURS: Final = f"{Path(inspect.getfile(locate)).parents[1]}{os.sep}"
TORCH: Final = f"{Path(inspect.getfile(torch)).parent}{os.sep}"
DYNAMO: Final = f"{Path(inspect.getfile(InstructionTranslatorBase)).parent}{os.sep}"
_RAISING: Final = (DYNAMO, f"{TORCH}_guards.py")
_COMPILING: Final = inspect.getfile(convert_frame)
# in the names of the code that goes on after a break: its own, and what it calls
_GOES_ON: Final = (TORCH_DYNAMO_RESUME_IN_PREFIX, "__resume_at_")
_STEP: Final = InstructionTranslatorBase.step.__code__
# stand between a condition and its jump without being the operand
_TRANSPARENT: Final = frozenset({"TO_BOOL", "COPY", "NOP", "CACHE", "EXTENDED_ARG", "NOT_TAKEN"})

Stack = tuple[Location, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """A frame on the way of a translator."""

    place: Location
    line: int  # as Dynamo says it: of the jump, where `place` is its operand's


Chain = tuple[Traced, ...]


def running_chain() -> Chain:
    """Describe the innermost translator that is at work in this thread, with its parents."""
    frame: FrameType | None = inspect.currentframe()
    while frame is not None:
        if frame.f_code is _STEP:
            return _chain(frame.f_locals["self"])
        frame = frame.f_back
    return ()


def of_translator(leaf: Any) -> Stack:
    """Describe a translator and its parents, outermost first."""
    return tuple(traced.place for traced in _chain(leaf))


def of_exception(error: BaseException, chain: Chain = ()) -> Stack:
    """Find the frames that Dynamo traced when it raised `error`, outermost first.

    Args:
        error: Anything that came out of Dynamo.
        chain: The translators that were at work when it was made, if they were seen; else they
            are looked for in its traceback.
    """
    chain = chain or _raising_chain(error)
    real = of_summaries(getattr(error, "real_stack", None) or ())
    if not real:
        return tuple(traced.place for traced in chain)
    better = dict(enumerate(chain))
    return tuple(_better(place, better.get(index)) for index, place in enumerate(real))


def of_traceback(error: BaseException) -> Stack:
    """Give the Python frames between our call and the place that raised `error`.

    Empty where they are torch's alone: then torch speaks about the call as a whole.
    """
    stack = below_us(of_summaries(extract_tb(error.__traceback__)))
    return () if all(place.path.startswith(TORCH) for place in stack) else stack


def is_dynamos_own(error: BaseException) -> bool:
    """Tell whether Dynamo's code raised `error` while it compiled, and no code that it ran."""
    codes = [frame.f_code for frame in _frames(error.__traceback__)]
    paths = [code.co_filename for code in codes]
    start = next((i for i, path in enumerate(paths) if path == _COMPILING), len(paths))
    own = paths[start:]
    return bool(own) and own[-1].startswith(_RAISING) and all(one.startswith(TORCH) for one in own)


def is_behind_a_break(error: BaseException) -> bool:
    """Tell whether code that Dynamo made to go on after a break is on the way to `error`."""
    return any(
        any(name.startswith(_GOES_ON) for name in (frame.f_code.co_name, *frame.f_code.co_names))
        for frame in _frames(error.__traceback__)
    )


def above_dynamo() -> Stack:
    """Give the Python frames that called the frame which Dynamo is tracing, without ours.

    Dynamo's `get_stack_above_dynamo` reads source lines and positions of each of its own frames,
    some hundred, to drop them; this costs more than the break itself.
    """
    found: list[Location] = []
    frame = inspect.currentframe()
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    while frame is not None and not _is_ours(frame):
        if not frame.f_code.co_filename.startswith(DYNAMO):
            found.append(_frame_place(frame))
        frame = frame.f_back
    return tuple(reversed(found))


def of_summaries(summaries: Iterable[FrameSummary]) -> Stack:
    """Describe frames as `traceback` gives them."""
    return tuple(
        locate(item.filename, item.lineno or 1, end_line=item.end_lineno, column=item.colno)
        for item in summaries
    )


def of_callable(call: Any) -> Stack:
    """Give the place where a callable is defined, as a stack of one; empty if it is built in."""
    plain = inspect.unwrap(call) if callable(call) else call
    plain = getattr(plain, "forward", plain)
    code = getattr(getattr(plain, "__func__", plain), "__code__", None)
    return (locate(code.co_filename, code.co_firstlineno),) if code else ()


def without_ours(stack: Stack) -> Stack:
    """Leave out functions of ours that Dynamo traced: a stand-in, what calls the form of a pair."""
    return tuple(place for place in stack if not place.path.startswith(OURS))


def below_us(stack: Stack) -> Stack:
    """Cut everything up to the last frame of this package."""
    last = max((i for i, place in enumerate(stack) if place.path.startswith(OURS)), default=-1)
    return stack[last + 1 :]


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(OURS)


def _frame_place(frame: FrameType) -> Location:
    code = frame.f_code
    # one entry for each code unit of two bytes
    spans = islice(code.co_positions(), max(frame.f_lasti, 0) // 2, None)
    _, end_line, column, _ = next(spans, (None, None, None, None))
    return locate(code.co_filename, frame.f_lineno or 1, end_line=end_line, column=column)


def _better(place: Location, traced: Traced | None) -> Location:
    if traced is None or (traced.place.path, traced.line) != (place.path, place.line):
        return place
    return traced.place


def _raising_chain(error: BaseException) -> Chain:
    leaf = None
    for frame in _frames(error.__traceback__):
        if frame.f_code is _STEP:
            leaf = frame.f_locals["self"]
    return () if leaf is None else _chain(leaf)


def _chain(leaf: Any) -> Chain:
    found: list[Traced] = []
    translator = leaf
    while translator is not None:
        place = _place(translator)
        found.append(Traced(place=place, line=translator.lineno or place.line))
        translator = translator.parent
    return tuple(reversed(found))


def _place(translator: Any) -> Location:
    inst = _operand(translator)
    positions = inst.positions
    line = (positions and positions.lineno) or translator.lineno or 1
    return locate(
        translator.f_code.co_filename,
        line,
        end_line=positions and positions.end_lineno,
        column=positions and positions.col_offset,
    )


def _operand(translator: Any) -> Any:
    inst = translator.current_instruction
    if "JUMP" not in inst.opname or "IF" not in inst.opname:
        return inst
    before = (translator.instruction_pointer or 1) - 2
    while before > 0 and translator.instructions[before].opname in _TRANSPARENT:
        before -= 1
    return translator.instructions[before] if before >= 0 else inst


def _frames(traceback: TracebackType | None) -> Iterator[FrameType]:
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next
