"""Inputs for the audits: a process as a server leaves it, models, prefills."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from engine.deepseek_model import empty_deepseek
from engine.deepseek_shape import DeepseekShape
from engine.dsa_context_parallel import is_dsa_enable_prefill_cp
from engine.extend_batch import build_extend_batch
from engine.flash_attention_backend import FlashAttentionBackend
from engine.flash_attention_metadata import ExtendRequest
from engine.kv_cache import allocate_kv_cache
from engine.model import build_model
from engine.model_config import ModelConfig, publish_model_config
from engine.model_shape import ModelShape
from engine.parallel import ParallelConfig, get_parallel
from engine.prompt_batch import build_prompt_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from engine.context_parallel_split import InterleaveSplit
    from engine.deepseek_model import DeepseekModel
    from engine.forward_batch import ForwardBatch
    from engine.model import PrefillModel
    from engine.prompt_batch import PromptBatch

SHAPE = ModelShape()
MAX_REQUESTS = 4
MAX_CONTEXT = 32
# A fresh prompt, one behind a cached prefix, and one of a single token.
REQUESTS = (
    ExtendRequest(pool_index=0, prefix_len=0, extend_len=5),
    ExtendRequest(pool_index=2, prefix_len=7, extend_len=4),
    ExtendRequest(pool_index=3, prefix_len=3, extend_len=1),
)
NUM_TOKENS = sum(request.extend_len for request in REQUESTS)
LONG_PROMPT = 4096
_DSA_MODEL = {"architectures": ["DeepseekV32ForCausalLM"], "index_topk": 2048}


def publish_process() -> None:
    """Publish one rank and a DSA model, whatever was published before."""
    get_parallel().publish(ParallelConfig())
    publish_model_config(ModelConfig(_DSA_MODEL))


def backend() -> FlashAttentionBackend:
    """A backend over a cache with room for every request, and slot 0."""
    cache = allocate_kv_cache(
        SHAPE.num_layers,
        1 + MAX_REQUESTS * MAX_CONTEXT,
        SHAPE.num_kv_heads,
        SHAPE.head_dim,
        dtype=torch.float32,
    )
    return FlashAttentionBackend(cache)


def model(decide: Callable[[], bool] = is_dsa_enable_prefill_cp) -> PrefillModel:
    """A model over an empty cache, which asks `decide` whether prefills are split over ranks."""
    return build_model(SHAPE, backend(), decide=decide)


def prefill(*, split: InterleaveSplit | None = None) -> tuple[Tensor, ForwardBatch]:
    """Token ids and forward of `REQUESTS`; each request owns slots in falling order."""
    slots = torch.arange(MAX_REQUESTS * MAX_CONTEXT, 0, -1).view(MAX_REQUESTS, MAX_CONTEXT)
    input_ids = torch.arange(NUM_TOKENS) * 11 % SHAPE.vocab_size
    return input_ids, build_extend_batch(REQUESTS, slots, attn_cp_metadata=split)


def deepseek_v3() -> DeepseekModel:
    """The published model without its weights, in bfloat16."""
    return empty_deepseek(DeepseekShape())


def long_prompt() -> tuple[Tensor, PromptBatch]:
    """Token ids and forward of one prompt of 4096 tokens."""
    input_ids = torch.arange(LONG_PROMPT) * 11 % DeepseekShape().vocab_size
    return input_ids, build_prompt_batch([LONG_PROMPT])
