"""The tensors that a graph takes in: their values, kept where a node writes into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from torch.utils import _pytree as pytree

from graphaudit._dynamo.see_through.memory import storage_of

if TYPE_CHECKING:
    from graphaudit._dynamo.see_through.originals import Originals

# functions that write into an argument though their name does not end in "_"
_WRITES: Final = frozenset(
    {
        "batch_norm",
        "embedding",
        "iadd",
        "iand",
        "ifloordiv",
        "ilshift",
        "imatmul",
        "imod",
        "imul",
        "instance_norm",
        "ior",
        "ipow",
        "irshift",
        "isub",
        "itruediv",
        "ixor",
        "setitem",
    }
)


class Inputs:
    """Inputs of one graph, by the memory they lie in."""

    def __init__(self, originals: Originals) -> None:
        self._originals = originals
        self._storages: set[int] = set()
        self._gradients: list[tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]] = []
        self._kept: dict[int, tuple[Any, Any]] = {}  # address -> storage, its copy

    def take(self, given: Any) -> Any:
        """Give the real value of a graph argument."""
        value = given.example
        if isinstance(value, torch.SymInt):
            return value.node.hint
        if given.pass_arg_as_tensor:
            return torch.as_tensor(value)
        if (storage := storage_of(value)) is not None:
            self._storages.add(storage.data_ptr())
            self._keep_gradient(value)
        return value

    def before(self, node: Any, args: Any, kwargs: Any) -> None:
        """Keep a copy of each input that a node may write into."""
        if not _may_write(node):
            return
        for leaf in pytree.tree_leaves((args, kwargs)):
            storage = storage_of(leaf)
            if storage is None or storage.data_ptr() in self._kept:
                continue
            if storage.data_ptr() in self._storages:
                self._originals.memory.keep(leaf)
                self._kept[storage.data_ptr()] = storage, storage.clone()

    def put_back(self) -> None:
        """Give every input the content that it came with."""
        for storage, copy in self._kept.values():
            if storage.nbytes() == copy.nbytes():
                storage.copy_(copy)
        self._kept.clear()
        for tensor, gradient, copy in self._gradients:
            if gradient is not None and copy is not None:
                gradient.data.copy_(copy)
            tensor.grad = gradient
        self._gradients.clear()

    def _keep_gradient(self, tensor: torch.Tensor) -> None:
        """A step may run `backward()`, which adds to a gradient that is there."""
        if tensor.requires_grad and tensor.is_leaf:
            gradient = tensor.grad
            copy = None if gradient is None else gradient.detach().clone()
            self._gradients.append((tensor, gradient, copy))


def _may_write(node: Any) -> bool:
    name = getattr(node.target, "__name__", str(node.target))
    in_place = name.endswith("_") and not name.endswith("__")
    schema = getattr(node.target, "_schema", None)
    return (
        in_place
        or name in _WRITES
        or bool(node.kwargs.get("inplace"))
        or node.kwargs.get("out") is not None
        or (schema is not None and schema.is_mutable)
    )
