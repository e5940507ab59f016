"""Keys and values of all sequences, one slot a token."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class KVCache:
    """The cache of every layer. Slot 0 belongs to no sequence: padding is written there.

    Attributes:
        keys: one (slots, Hk, D) a layer.
        values: one (slots, Hk, Dv) a layer.
    """

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]

    def write(self, layer_id: int, slots: Tensor, keys: Tensor, values: Tensor) -> None:
        """Store n tokens of a layer: slots int64 (n,), keys (n, Hk, D), values (n, Hk, Dv)."""
        self.keys[layer_id][slots] = keys
        self.values[layer_id][slots] = values

    def read(self, layer_id: int, slots: Tensor) -> tuple[Tensor, Tensor]:
        """Keys (n, Hk, D) and values (n, Hk, Dv) of a layer: slots int64 (n,)."""
        return self.keys[layer_id][slots], self.values[layer_id][slots]


def allocate_kv_cache(
    num_layers: int, num_slots: int, num_kv_heads: int, head_dim: int, *, dtype: torch.dtype
) -> KVCache:
    """An empty cache whose values are as wide as its keys."""
    shape = (num_slots, num_kv_heads, head_dim)
    return KVCache(
        keys=tuple(torch.zeros(shape, dtype=dtype) for _ in range(num_layers)),
        values=tuple(torch.zeros(shape, dtype=dtype) for _ in range(num_layers)),
    )
