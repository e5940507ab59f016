"""The memory of the user's tensors as it was before a real step wrote to it."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import torch

from graphaudit._dynamo.see_through.outside import outside

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES: Final = 1 << 26  # of all copies together
_PLAIN: Final = (torch.Tensor, torch.nn.Parameter)


class Memory:
    """Copies of storages, and which storage and which gradient a tensor had."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = self._left = most_bytes
        self._storages: dict[int, tuple[Any, torch.Tensor]] = {}  # address -> storage, its bytes
        self._bound: dict[int, tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]] = {}

    def keep(self, tensor: Any) -> torch.Tensor | None:
        """Note a tensor from before a change; the first note counts.

        Returns:
            Its gradient, which is another tensor that a step may write to.
        """
        if type(tensor) not in _PLAIN or id(tensor) in self._bound:
            return None
        with _untouched():
            storage = storage_of(tensor)
            if storage is None or not self._has_copy(storage):
                return None
            gradient = tensor.grad if tensor.is_leaf else None
            self._bound[id(tensor)] = tensor, tensor.detach(), gradient
        return gradient

    def keep_all(self, other: Memory) -> None:
        """Note the tensors that another one is about to give back."""
        for tensor, _, _ in other._bound.values():
            self.keep(tensor)

    def put_back(self) -> None:
        """Give tensors their storage and their gradient, storages their bytes."""
        with _untouched(), torch.no_grad():
            for tensor, before, gradient in self._bound.values():
                with suppress(Exception):  # some tensors take no other data
                    _bind(tensor, before, gradient)
            for storage, before in self._storages.values():
                with suppress(Exception):  # memory may be closed to writes
                    now = _bytes(storage)
                    if now.numel() == before.numel() and not torch.equal(now, before):
                        now.copy_(before)
        self._bound.clear()
        self._storages.clear()
        self._left = self._most

    def _has_copy(self, storage: Any) -> bool:
        if storage.data_ptr() in self._storages:
            return True
        if storage.nbytes() > self._left:
            return False
        self._left -= storage.nbytes()
        self._storages[storage.data_ptr()] = storage, _bytes(storage).clone()
        return True


@contextmanager
def _untouched() -> Iterator[None]:
    """Hold off all modes, the user's too, which would take our operators for the user's."""
    disabled: Any = torch._C.DisableTorchFunction
    with outside(), disabled():
        yield


def storage_of(value: Any) -> Any | None:
    """Give the memory of a tensor that has some of its own."""
    if not isinstance(value, torch.Tensor) or value.is_sparse or value.is_nested:
        return None
    try:
        storage = value.untyped_storage()
        return storage if storage.data_ptr() else None
    # wrapper subclasses and fake tensors own no memory
    except (RuntimeError, NotImplementedError):
        return None


def _bind(tensor: torch.Tensor, before: torch.Tensor, gradient: torch.Tensor | None) -> None:
    place, known = (
        (one.data_ptr(), one.shape, one.stride(), one.dtype) for one in (tensor, before)
    )
    if place != known:
        tensor.data = before
    if tensor.is_leaf and tensor.grad is not gradient:
        tensor.grad = gradient


def _bytes(storage: Any) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
