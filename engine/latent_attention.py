"""Multi-head latent attention (DeepSeek-V2, 2024), in the form of a prefill: keys in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from engine.layers import RMSNorm
from engine.yarn import Turns, rotate_pairs, score_scale
from kernels.varlen_attention import varlen_attention

if TYPE_CHECKING:
    from engine.deepseek_shape import DeepseekShape
    from engine.prompt_batch import PromptBatch


class LatentAttention(nn.Module):
    """Causal attention inside each prompt; q, k and v are read out of latent vectors."""

    def __init__(self, shape: DeepseekShape) -> None:
        """The attention of one layer of `shape`."""
        super().__init__()
        sizes = shape.attention
        self.sizes = sizes
        self.scale = score_scale(sizes.head_dim, shape.rotary)
        heads, hidden = sizes.num_heads, shape.hidden_size
        self.query_latent = nn.Linear(hidden, sizes.query_rank, bias=False)
        self.query_norm = RMSNorm(sizes.query_rank)
        self.query = nn.Linear(sizes.query_rank, heads * sizes.head_dim, bias=False)
        key_latent = sizes.key_value_rank + sizes.rotary_head_dim
        self.key_value_latent = nn.Linear(hidden, key_latent, bias=False)
        self.key_value_norm = RMSNorm(sizes.key_value_rank)
        key_value = sizes.plain_head_dim + sizes.value_head_dim
        self.key_value = nn.Linear(sizes.key_value_rank, heads * key_value, bias=False)
        self.output = nn.Linear(heads * sizes.value_head_dim, hidden, bias=False)

    def forward(self, hidden: Tensor, turns: Turns, batch: PromptBatch) -> Tensor:
        """Shape and dtype of `hidden`: (n, hidden size)."""
        keys, values = self._keys_and_values(hidden, turns)
        attended = varlen_attention(
            self._queries(hidden, turns),
            keys,
            values,
            batch.cu_seqlens,
            batch.cu_seqlens,
            batch.max_seqlen,
            batch.max_seqlen,
            softmax_scale=self.scale,
            causal=True,
        )
        mixed: Tensor = self.output(attended.out.flatten(1))
        return mixed

    def _queries(self, hidden: Tensor, turns: Turns) -> Tensor:
        """Heads (n, H, head_dim)."""
        sizes = self.sizes
        flat = self.query(self.query_norm(self.query_latent(hidden)))
        heads = flat.view(-1, sizes.num_heads, sizes.head_dim)
        plain, rotary = heads.split([sizes.plain_head_dim, sizes.rotary_head_dim], dim=-1)
        return torch.cat((plain, rotate_pairs(rotary, turns)), dim=-1)

    def _keys_and_values(self, hidden: Tensor, turns: Turns) -> tuple[Tensor, Tensor]:
        """Heads (n, H, head_dim) and (n, H, value_head_dim)."""
        sizes = self.sizes
        latent, rotary = self.key_value_latent(hidden).split(
            [sizes.key_value_rank, sizes.rotary_head_dim], dim=-1
        )
        parts = [sizes.plain_head_dim, sizes.value_head_dim]
        flat = self.key_value(self.key_value_norm(latent))
        plain, values = flat.view(-1, sizes.num_heads, sum(parts)).split(parts, dim=-1)
        turned = rotate_pairs(rotary[:, None], turns).expand(-1, sizes.num_heads, -1)
        return torch.cat((plain, turned), dim=-1), values
