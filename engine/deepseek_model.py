"""A DeepSeek-V3 decoder that runs prefills of whole prompts: token ids in, logits out."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from engine.experts import MixtureOfExperts
from engine.latent_attention import LatentAttention
from engine.layers import GatedMLP, RMSNorm
from engine.yarn import Turns, yarn_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from engine.deepseek_shape import DeepseekShape
    from engine.prompt_batch import PromptBatch


class DeepseekLayer(nn.Module):
    """Attention and MLP, each behind a norm and around a residual."""

    def __init__(self, shape: DeepseekShape, layer_id: int) -> None:
        """Layer `layer_id` of a model of `shape`: dense, or a mixture of experts."""
        super().__init__()
        size = shape.hidden_size
        self.attention_norm = RMSNorm(size)
        self.attention = LatentAttention(shape)
        self.mlp_norm = RMSNorm(size)
        self.mlp: nn.Module
        if layer_id < shape.num_dense_layers:
            self.mlp = GatedMLP(size, shape.dense_size)
        else:
            self.mlp = MixtureOfExperts(size, shape.experts)

    def forward(self, hidden: Tensor, turns: Turns, batch: PromptBatch) -> Tensor:
        """Shape and dtype of `hidden`: (n, hidden size)."""
        hidden = hidden + self.attention(self.attention_norm(hidden), turns, batch)
        mixed: Tensor = hidden + self.mlp(self.mlp_norm(hidden))
        return mixed


class DeepseekModel(nn.Module):
    """Embedding, decoder layers, final norm, head; without the module that predicts ahead."""

    def __init__(self, shape: DeepseekShape) -> None:
        """A model with random weights in the default dtype."""
        super().__init__()
        self.embedding = nn.Embedding(shape.vocab_size, shape.hidden_size)
        self.shape = shape
        self.layers = nn.ModuleList(DeepseekLayer(shape, n) for n in range(shape.num_layers))
        self.norm = RMSNorm(shape.hidden_size)
        self.head = nn.Linear(shape.hidden_size, shape.vocab_size, bias=False)

    def forward(self, input_ids: Tensor, batch: PromptBatch) -> Tensor:
        """Logits (prompts, vocabulary) behind the last token of each prompt.

        Args:
            input_ids: int64 (n,).
            batch: which of them are a prompt.
        """
        hidden = self.embedding(input_ids)
        rotary_size = self.shape.attention.rotary_head_dim
        turns = yarn_turns(batch.positions, rotary_size, self.shape.rotary)
        for layer in self.layers:
            hidden = layer(hidden, turns, batch)
        last = hidden[batch.cu_seqlens[1:] - 1]
        logits: Tensor = self.head(self.norm(last))
        return logits


def build_deepseek(
    shape: DeepseekShape, *, dtype: torch.dtype = torch.bfloat16, seed: int = 0
) -> DeepseekModel:
    """A model for inference with random weights: the same for the same seed and device.

    Args:
        shape: its sizes.
        dtype: of every weight but the routers' biases, which are float32.
        seed: given to torch's own generators, which stay seeded.
    """
    torch.manual_seed(seed)
    with _default_dtype(dtype):
        model = DeepseekModel(shape)
    return model.requires_grad_(requires_grad=False).eval()


def empty_deepseek(shape: DeepseekShape, *, dtype: torch.dtype = torch.bfloat16) -> DeepseekModel:
    """As `build_deepseek`, but nothing is drawn: for weights that a checkpoint gives, or none."""
    with _NoDraws(), _default_dtype(dtype):
        model = DeepseekModel(shape)
    return model.requires_grad_(requires_grad=False).eval()


class _NoDraws(TorchFunctionMode):
    """Leaves the tensors that `torch.nn.init` is asked to fill as they are."""

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: Sequence[type],
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Answer for one function of torch that is called inside a `with`."""
        given = dict(kwargs or {})
        if getattr(func, "__module__", None) == nn.init.__name__:
            return given["tensor"]
        return func(*args, **given)


@contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Make weights of `dtype` where none is named."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
