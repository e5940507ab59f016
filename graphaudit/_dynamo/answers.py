"""What a call gives, taken apart so that two calls can be held against each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from graphaudit._dynamo.visible import Leaves, leaves_of, same, shortened
from graphaudit._target.words import described
from graphaudit.model import Answer

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An answer, and its parts."""

    told: Answer
    parts: Leaves = field(default_factory=dict)

    def equals(self, other: Given) -> bool:
        """Tell whether both calls gave the same, but for rounding, or raised the same."""
        if self.told.raised or other.told.raised:
            return self.told == other.told
        names = self.parts.keys() | other.parts.keys()
        return all(same(self.parts.get(name), other.parts.get(name)) for name in names)


def given(call: Callable[[], Any]) -> Given:
    """Call, and keep what that gives or raises."""
    try:
        answer = call()
    # the target's code, and Dynamo on it, may raise anything, SystemExit included
    except BaseException as error:  # noqa: BLE001
        return Given(told=Answer(text=described(error), raised=True))
    return Given(told=Answer(text=_words(answer)), parts=leaves_of(answer=answer))


def _words(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"a tensor: {dtype} {tuple(value.shape)} on {value.device}"
    if value is None or type(value) in (bool, int, float, str):
        return shortened(repr(value))
    if isinstance(value, tuple | list):
        return shortened(f"({', '.join(map(_words, value))})")
    return f"a {type(value).__name__}"
