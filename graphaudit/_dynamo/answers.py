"""What a call gives, taken apart so that two calls can be held against each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._subclasses.fake_tensor import FakeTensor

from graphaudit._dynamo import machine
from graphaudit._dynamo.parts import has_state, members_of
from graphaudit._dynamo.valueless import lacking
from graphaudit._dynamo.visible import TENSORS, Leaves, leaves_of, same, shortened
from graphaudit._target.words import described
from graphaudit.model import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_WHOLE: Final = "answer"
_DEEPEST: Final = 5
_MOST: Final = 40
_NAMED: Final = {
    FunctionType: "function",
    BuiltinFunctionType: "function",
    MethodType: "method",
    type: "class",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An answer, and its parts."""

    told: Answer
    value: torch.Tensor | None = None  # the answer, where it is a tensor
    parts: Leaves = field(default_factory=dict)

    def equals(self, other: Given) -> bool:
        """Tell whether both calls gave the same, but for rounding, or raised the same."""
        if self.told.raised or other.told.raised:
            return self.told == other.told
        return self._differing(other) is None

    def apart(self, other: Given) -> str:
        """Say in what two answers differ where their words do not tell; "" elsewhere."""
        if self.equals(other) or self.told != other.told:
            return ""
        part = self._differing(other) or _WHOLE
        if part == _WHOLE and self.value is not None and other.value is not None:
            return f"by up to {_distance(self.value, other.value):.3g}"
        return f"in {part}"

    def _differing(self, other: Given) -> str | None:
        names = dict.fromkeys((*self.parts, *other.parts))
        different = (n for n in names if not same(self.parts.get(n), other.parts.get(n)))
        return next(different, None)


def given(call: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Given:
    """Call, and keep what that gives or raises, and what it leaves in its arguments.

    Raises:
        BaseException: What only a simulated device makes a call raise: it is no answer.
    """
    try:
        answer = call(*args, **kwargs)
    # the target's code, and Dynamo on it, may raise anything, SystemExit included
    except BaseException as error:
        if machine.is_fake() and lacking(error):
            raise
        return Given(told=Answer(text=described(error), raised=True))
    is_tensor = type(answer) in TENSORS and answer.layout is torch.strided
    return Given(
        told=Answer(text=_words(answer)),
        # it may be one of the arguments, which are written to again
        value=answer.detach().clone() if is_tensor else None,
        parts={
            **leaves_of(**{_WHOLE: answer}),
            **dict(_names(_WHOLE, answer)),
            # on their own: whether the answer is one of the arguments is no matter
            **leaves_of(args=args, kwargs=kwargs),
        },
    )


def _distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """Give the largest difference of two elements; infinite where one alone is a NaN."""
    kind = torch.complex128 if one.is_complex() else torch.float64
    with torch.no_grad():
        mine, theirs = one.to(kind), other.to(kind)
        is_equal = (mine == theirs) | (mine.isnan() & theirs.isnan())
        apart = (mine - theirs).abs().nan_to_num(nan=float("inf"), posinf=float("inf"))
        return float(torch.where(is_equal, 0.0, apart).max())


def _words(value: Any, depth: int = 0) -> str:
    if issubclass(type(value), torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        kind = "a fake tensor" if issubclass(type(value), FakeTensor) else "a tensor"
        return f"{kind}: {dtype} {tuple(value.shape)} on {value.device}"
    if value is None or type(value) in (bool, int, float, str):
        return shortened(repr(value))
    if issubclass(type(value), tuple | list):
        return shortened(_sequence(value, depth) if depth < _DEEPEST else "...")
    return _name(value) or f"a {type(value).__name__}"


def _sequence(value: tuple[Any, ...] | list[Any], depth: int) -> str:
    inner = ", ".join(_words(one, depth + 1) for one in islice(members_of(value), _MOST))
    if issubclass(type(value), list):
        return f"[{inner}]"
    return f"({inner},)" if len(members_of(value)) == 1 else f"({inner})"


def _names(path: str, value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Name what has no parts that tell it from others: functions, classes, modules, objects."""
    if issubclass(type(value), tuple | list):
        if depth < _DEEPEST:
            for index, one in enumerate(islice(members_of(value), _MOST)):
                yield from _names(f"{path}[{index}]", one, depth + 1)
    elif name := _name(value):
        yield f"{path} name", name
    elif has_state(value):
        yield f"{path} type", type(value).__name__


def _name(value: Any) -> str:
    """Give the name under which something is defined; "" for what has none."""
    if issubclass(type(value), ModuleType):
        return f"module {value.__name__}"
    word = next((word for kind, word in _NAMED.items() if issubclass(type(value), kind)), None)
    if word is None:
        return ""
    return f"{word} {getattr(value, '__module__', '')}.{value.__qualname__}"
