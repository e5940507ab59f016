"""What a call gives, taken apart so that two calls can be held against each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import torch
from torch._subclasses.fake_tensor import FakeTensor

from graphaudit._dynamo.visible import Leaves, leaves_of, same, shortened
from graphaudit._target.words import described
from graphaudit.model import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

_WHOLE: Final = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An answer, and its parts."""

    told: Answer
    value: Any = None
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
        mine, theirs = self.value, other.value
        if part == _WHOLE and isinstance(mine, torch.Tensor) and isinstance(theirs, torch.Tensor):
            with torch.no_grad():
                most = (mine.double() - theirs.double()).abs().max()
            return f"by up to {float(most):.3g}"
        return f"in {part}"

    def _differing(self, other: Given) -> str | None:
        names = dict.fromkeys((*self.parts, *other.parts))
        different = (n for n in names if not same(self.parts.get(n), other.parts.get(n)))
        return next(different, None)


def given(call: Callable[[], Any]) -> Given:
    """Call, and keep what that gives or raises."""
    try:
        answer = call()
    # the target's code, and Dynamo on it, may raise anything, SystemExit included
    except BaseException as error:  # noqa: BLE001
        return Given(told=Answer(text=described(error), raised=True))
    parts = leaves_of(**{_WHOLE: answer})
    return Given(told=Answer(text=_words(answer)), value=answer, parts=parts)


def _words(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        kind = "a fake tensor" if isinstance(value, FakeTensor) else "a tensor"
        return f"{kind}: {dtype} {tuple(value.shape)} on {value.device}"
    if value is None or type(value) in (bool, int, float, str):
        return shortened(repr(value))
    if isinstance(value, tuple | list):
        return shortened(f"({', '.join(map(_words, value))})")
    return f"a {type(value).__name__}"
