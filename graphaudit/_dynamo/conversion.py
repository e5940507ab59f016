"""Modules of fake tensors are converted as real ones are: `.to`, `.cuda`, `.half`.

torch swaps a fake parameter with its converted one (`nn.Module._apply`), and swaps nothing that is
weakly referenced. A fake mode remembers so, in its converter, each tensor whose operator it met
for the first time: most modules could not be moved to the device where they are already.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def converting() -> Iterator[None]:
    """Let the target convert modules, wherever nothing but a fake mode is in the way.

    Not for what is traced: Dynamo would meet our function in place of torch's.
    """
    swap: Callable[[Any, Any], None] = torch.utils.swap_tensors

    def swap_tensors(one: Any, other: Any) -> None:
        _forget(one)
        _forget(other)
        swap(one, other)

    torch.utils.swap_tensors = swap_tensors
    try:
        yield
    finally:
        torch.utils.swap_tensors = swap


def _forget(tensor: Any) -> None:
    """Drop what a fake mode remembers of a tensor: to it the swapped one is another."""
    if not isinstance(tensor, FakeTensor):
        return
    memo = tensor.fake_mode.fake_tensor_converter.tensor_memo
    for key in [key for key, known in memo.items() if known is tensor]:
        del memo[key]
