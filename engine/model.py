"""A decoder model that runs prefills: token ids in, hidden states out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from engine.communicator import LayerCommunicator
from engine.decoder_layer import DecoderLayer
from engine.dsa_context_parallel import is_dsa_enable_prefill_cp
from engine.layers import RMSNorm

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.flash_attention_backend import FlashAttentionBackend
    from engine.forward_batch import ForwardBatch
    from engine.model_shape import ModelShape


class PrefillModel(nn.Module):
    """Embedding, decoder layers, final norm."""

    def __init__(
        self, shape: ModelShape, backend: FlashAttentionBackend, decide: Callable[[], bool]
    ) -> None:
        """A model with torch's default weights; `build_model` makes one that can be repeated."""
        super().__init__()
        self.embedding = nn.Embedding(shape.vocab_size, shape.hidden_size)
        last = shape.num_layers - 1
        self.layers = nn.ModuleList(
            DecoderLayer(
                shape,
                layer_id,
                backend=backend,
                # Layers before the last hand all rows on: the next attention needs them.
                communicator=LayerCommunicator(
                    decide=decide, allow_reduce_scatter=layer_id == last
                ),
            )
            for layer_id in range(shape.num_layers)
        )
        self.norm = RMSNorm(shape.hidden_size)

    def forward(self, input_ids: Tensor, forward_batch: ForwardBatch) -> Tensor:
        """Hidden states (n, hidden size) of the tokens `input_ids`, int64 (n,).

        Where the prefill is split over ranks: those of this rank's tokens.
        """
        hidden = self.embedding(input_ids)
        for layer in self.layers:
            hidden = layer(hidden, forward_batch)
        normed: Tensor = self.norm(hidden)
        return normed


def build_model(
    shape: ModelShape,
    backend: FlashAttentionBackend,
    *,
    decide: Callable[[], bool] = is_dsa_enable_prefill_cp,
    seed: int = 0,
) -> PrefillModel:
    """A model for inference with random weights: the same for the same seed and device.

    Args:
        shape: its sizes.
        backend: computes attention.
        decide: whether this process splits prefills over ranks.
        seed: given to torch's own generators, which stay seeded.
    """
    torch.manual_seed(seed)
    return PrefillModel(shape, backend, decide).requires_grad_(requires_grad=False).eval()
