"""What an sglang server has set up before a layer is called: one rank, a KV cache, a batch.

No entries: they stand in sglang_backend.py and sglang_decoder.py.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import torch
from sglang.kernels.ops.attention import flash_attention_v3
from sglang.srt.configs.model_config import AttentionArch
from sglang.srt.distributed import init_distributed_environment, initialize_model_parallel
from sglang.srt.layers.attention.flashattention_backend import FlashAttentionBackend
from sglang.srt.mem_cache import memory_pool
from sglang.srt.mem_cache.kv_index_translator import KVIndexTranslator
from sglang.srt.mem_cache.memory_pool import MHATokenToKVPool, ReqToTokenPool
from sglang.srt.model_executor.cuda_graph_config import CudaGraphConfig
from sglang.srt.model_executor.forward_batch_info import ForwardBatch, ForwardMode
from sglang.srt.models import utils as model_utils
from sglang.srt.runtime_context import SpawnRanks, publish
from sglang.srt.server_args import ServerArgs
from torch import Tensor
from torch.distributed import HashStore, init_process_group

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADS: Final = 8
KV_HEADS: Final = 2
HEAD_DIM: Final = 64
_CONTEXT: Final = 512
_SLOTS: Final = 1024
# two requests: what each has in the cache once this step has run
_LENGTHS: Final = (5, 3)


@dataclass(frozen=True)
class Step:
    """One step of the engine: the backend holds the metadata of this batch."""

    backend: FlashAttentionBackend
    batch: ForwardBatch

    @property
    def tokens(self) -> int:
        """How many tokens go through the model."""
        return len(self.batch.input_ids)


def step(mode: ForwardMode) -> Step:
    """Prepare two requests: all of their tokens in EXTEND, one of each in DECODE."""
    backend, batch = _backend(), _batch(mode)
    backend.init_forward_metadata(batch)
    return Step(backend, batch)


def _backend() -> FlashAttentionBackend:
    requests = ReqToTokenPool(4, _CONTEXT, "cuda", enable_memory_saver=False)
    cache = MHATokenToKVPool(
        _SLOTS, 1, torch.bfloat16, KV_HEADS, HEAD_DIM, 1, "cuda", enable_memory_saver=False
    )
    translator = KVIndexTranslator(
        req_to_token=requests.req_to_token,
        token_to_kv_pool_allocator=None,
        token_to_kv_pool=cache,
        page_size=1,
        device="cuda",
    )
    # a real ModelRunner loads a checkpoint; the backend reads no more of it than this
    runner = SimpleNamespace(
        model_config=_model(),
        device="cuda",
        req_to_token_pool=requests,
        token_to_kv_pool=cache,
        kv_index_translator=translator,
        kv_cache_dtype=torch.bfloat16,
        kv_cache_dtype_str="auto",
        page_size=1,
        sliding_window_size=None,
        is_draft_worker=False,
    )
    backend = FlashAttentionBackend(runner)
    # called before each step, outside of what is compiled; native, and gives one tensor
    backend._get_scheduler_metadata = lambda **_: torch.empty(2, dtype=torch.int32)
    return backend


def _model() -> SimpleNamespace:
    return SimpleNamespace(
        attention_arch=AttentionArch.MHA,
        context_len=_CONTEXT,
        head_dim=HEAD_DIM,
        hf_text_config=SimpleNamespace(num_attention_heads=HEADS),
        get_num_kv_heads=lambda ranks: KV_HEADS // ranks,
        is_encoder_decoder=False,
        is_local_attention_model=False,
    )


def _batch(mode: ForwardMode) -> ForwardBatch:
    """Without lengths on the host: fake tensors hold none, and this backend asks for none."""
    new = _LENGTHS if mode.is_extend() else (1,) * len(_LENGTHS)
    batch = ForwardBatch(
        forward_mode=mode,
        batch_size=len(_LENGTHS),
        input_ids=torch.zeros(sum(new), dtype=torch.int64),
        req_pool_indices=torch.arange(1, 1 + len(_LENGTHS)),
        seq_lens=torch.tensor(_LENGTHS),
        out_cache_loc=torch.arange(1, 1 + sum(new)),
        seq_lens_sum=sum(_LENGTHS),
    )
    if mode.is_extend():
        batch.extend_num_tokens = sum(new)
        batch.extend_seq_lens = torch.tensor(new)
        batch.extend_seq_lens_cpu = list(new)
        batch.extend_prefix_lens = torch.zeros_like(batch.seq_lens)
        batch.extend_prefix_lens_cpu = [0] * len(new)
    return batch


@contextmanager
def kernels() -> Iterator[None]:
    """Hold what a warm server has: its native kernels, here as operators with a fake.

    What sglang builds when it is needed it registers itself, with a fake; only whether it could
    be built is asked.
    """
    with (
        patch.object(flash_attention_v3, "_load_fa3_kernels", lambda: _LOADED),
        patch.object(memory_pool, "can_use_store_cache", lambda *_: True),
        patch.object(model_utils, "can_use_fused_inplace_qknorm", lambda *_: True),
    ):
        yield


def _attend(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor, table: Tensor) -> Tensor:
    raise NotImplementedError


_attend.__annotations__ = dict.fromkeys(("q", "k", "v", "lengths", "table", "return"), Tensor)
_operator = torch.library.custom_op("real::paged_attention", _attend, mutates_args=())
_operator.register_fake(lambda q, *_: torch.empty_like(q))


def flash_attn_with_kvcache(q: Tensor, k: Tensor, v: Tensor, *others: Any, **_: Any) -> Tensor:
    # by their places in the kernel of sgl_kernel
    lengths, table = others[5], others[8]
    return _operator(q, k, v, lengths, table)


_LOADED: Final = {"flash_attn_with_kvcache": flash_attn_with_kvcache}

publish(
    ServerArgs(model_path="dummy", cuda_graph_config=CudaGraphConfig()),
    role="test",
    ranks=SpawnRanks(world_rank=0, gpu_id=0),
)
init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
init_distributed_environment(world_size=1, rank=0, local_rank=0, backend="gloo")
initialize_model_parallel("gloo")
