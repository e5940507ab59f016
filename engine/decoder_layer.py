"""One decoder layer: attention through the backend, MLP, communication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor, nn

from engine.flash_attention_backend import AttentionLayer, FlashAttentionBackend
from engine.layers import GatedMLP, RMSNorm, rotate

if TYPE_CHECKING:
    from engine.communicator import LayerCommunicator
    from engine.forward_batch import ForwardBatch
    from engine.model_shape import ModelShape


class SelfAttention(nn.Module):
    """Grouped-query self attention with rotary positions."""

    def __init__(self, shape: ModelShape, layer_id: int, backend: FlashAttentionBackend) -> None:
        """The attention of layer `layer_id`, computed by `backend`."""
        super().__init__()
        self.backend = backend
        self.layer = AttentionLayer(
            layer_id=layer_id,
            num_heads=shape.num_heads,
            num_kv_heads=shape.num_kv_heads,
            head_dim=shape.head_dim,
            scaling=shape.head_dim**-0.5,
        )
        self.widths = [shape.num_heads, shape.num_kv_heads, shape.num_kv_heads]
        self.qkv = nn.Linear(shape.hidden_size, sum(self.widths) * shape.head_dim, bias=False)
        self.output = nn.Linear(shape.num_heads * shape.head_dim, shape.hidden_size, bias=False)

    def forward(self, hidden: Tensor, forward_batch: ForwardBatch) -> Tensor:
        """Shape and dtype of `hidden`: (n, hidden size)."""
        heads = self.qkv(hidden).view(hidden.shape[0], -1, self.layer.head_dim)
        q, k, v = heads.split(self.widths, dim=1)
        q, k = rotate(q, forward_batch.positions), rotate(k, forward_batch.positions)
        attended = self.backend.forward_extend(q, k, v, self.layer, forward_batch)
        mixed: Tensor = self.output(attended.out)
        return mixed


class DecoderLayer(nn.Module):
    """Attention and MLP, each behind a norm and around a residual."""

    def __init__(
        self,
        shape: ModelShape,
        layer_id: int,
        *,
        backend: FlashAttentionBackend,
        communicator: LayerCommunicator,
    ) -> None:
        """Layer `layer_id` of a model of `shape`."""
        super().__init__()
        self.attention_norm = RMSNorm(shape.hidden_size)
        self.attention = SelfAttention(shape, layer_id, backend)
        self.mlp_norm = RMSNorm(shape.hidden_size)
        self.mlp = GatedMLP(shape.hidden_size, shape.mlp_size)
        self.communicator = communicator

    def forward(self, hidden: Tensor, forward_batch: ForwardBatch) -> Tensor:
        """Rows (n, hidden size) in; all of them or this rank's share out."""
        hidden = hidden + self.attention(self.attention_norm(hidden), forward_batch)
        hidden = hidden + self.mlp(self.mlp_norm(hidden))
        return self.communicator.finish(hidden, forward_batch)
