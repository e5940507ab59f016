"""Whole decoder layers of sglang, with their real parts, on one rank.

`enter_torch_compile` is sglang's own switch: its fused operators take the form in torch's own
operators, as before it compiles a model. What a layer hands on is mended here in a second form.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import field, make_dataclass
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import sglang.kernels.ops.gemm.cutedsl_dual_gemm  # noqa: F401 - what it lacks is seen here
import torch
from sglang.kernels.fused_op import BaseFusedOp
from sglang.srt.layers.layer_boundary import exit as layer_exit
from sglang.srt.layers.layer_boundary.factories import layer_stack
from sglang.srt.layers.layer_boundary.residual import batch as residual
from sglang.srt.layers.layer_boundary.residual import stream
from sglang.srt.layers.layernorm import RMSNorm
from sglang.srt.model_executor.forward_batch_info import ForwardMode
from sglang.srt.model_executor.forward_context import ForwardContext, set_forward_context
from sglang.srt.model_executor.runner_backend_utils.tc_piecewise_cuda_graph import (
    enable_tc_piecewise_cuda_graph,
    set_tc_piecewise_forward_context,
)
from sglang.srt.model_loader.utils import set_default_torch_dtype
from sglang.srt.models.llama import LlamaDecoderLayer
from sglang.srt.models.qwen3 import Qwen3DecoderLayer
from sglang_engine import HEAD_DIM, HEADS, KV_HEADS, kernels, step
from torch import Tensor
from transformers import LlamaConfig, Qwen3Config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sglang.srt.model_executor.forward_batch_info import ForwardBatch

Entry = tuple["Callable[..., Tensor]", tuple[Tensor, Tensor, Any]]

_SIZES: Final = {
    "hidden_size": HEADS * HEAD_DIM,
    "intermediate_size": 1024,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "head_dim": HEAD_DIM,
    "max_position_embeddings": 512,
}


class _Stack(torch.nn.Module):
    """One layer between the start of a model's residual and its last norm."""

    def __init__(self, layer: type[torch.nn.Module], config: Any) -> None:
        super().__init__()
        with layer_stack():
            self.layer = layer(config)
        self.norm = RMSNorm(config.hidden_size, eps=config.rms_norm_eps)

    def forward(self, positions: Tensor, hidden: Tensor, batch: ForwardBatch) -> Tensor:
        residual.start(batch)
        return residual.final_norm(self.layer(positions, hidden, batch), batch, self.norm)


def _llama(mode: ForwardMode) -> Entry:
    return _entry(LlamaDecoderLayer, LlamaConfig(**_SIZES), mode)


def _qwen3(mode: ForwardMode) -> Entry:
    return _entry(Qwen3DecoderLayer, Qwen3Config(**_SIZES), mode)


def _entry(layer: type[torch.nn.Module], config: Any, mode: ForwardMode) -> Entry:
    ready = step(mode)
    set_forward_context(ForwardContext(ready.backend))
    with set_default_torch_dtype(torch.bfloat16):
        model = _Stack(layer, config)
        hidden = torch.randn(ready.tokens, config.hidden_size)
    return torch.no_grad()(model.forward), (torch.arange(ready.tokens), hidden, ready.batch)


def _for_torch(entry: Entry) -> Entry:
    forward, arguments = entry
    model = forward.__wrapped__.__self__
    for part in model.modules():
        if isinstance(part, BaseFusedOp):
            part.enter_torch_compile(num_tokens=len(arguments[0]))
    # a server runs once before it compiles, and fills what is kept
    with kernels():
        forward(*arguments)
    return entry


def _plain(struct: type[Any]) -> type[Any]:
    """Give the same class without msgspec, whose classes are made and changed in C."""
    defaults = dict(
        zip(reversed(struct.__struct_fields__), reversed(struct.__struct_defaults__), strict=False)
    )
    fields = [
        (name, Any, field(default=defaults[name])) if name in defaults else (name, Any)
        for name in struct.__struct_fields__
    ]
    methods = {name: one for name, one in vars(struct).items() if isinstance(one, FunctionType)}
    return make_dataclass(struct.__name__, fields, namespace=methods)


_RESIDUAL: Final = (
    (stream, "Contribution", _plain(stream.Contribution)),
    (stream, "OwedOutput", _plain(stream.OwedOutput)),
    (stream, "DeclaredSum", _plain(stream.DeclaredSum)),
)
_EXIT: Final = ((layer_exit, "ExitDecision", _plain(layer_exit.ExitDecision)),)


@contextmanager
def _mended(*, at: tuple[Any, ...] = (*_RESIDUAL, *_EXIT)) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(kernels())
        for place in at:
            stack.enter_context(patch.object(*place))
        yield


class _Piecewise:
    """sglang's graphs of a prefill, where attention is an operator of its own, with a fake."""

    def __init__(self) -> None:
        self.of: tuple[ForwardBatch, list[torch.nn.Module]] | None = None

    def give(self, entry: Entry) -> Entry:
        """Take the batch and the layer of the entry that is traced next."""
        forward, (*_, batch) = entry
        self.of = batch, [forward.__wrapped__.__self__.layer.self_attn.attn]
        return entry

    @contextmanager
    def __call__(self) -> Iterator[None]:
        assert self.of is not None
        with (
            _mended(),
            enable_tc_piecewise_cuda_graph(),
            set_tc_piecewise_forward_context(*self.of, None, [], []),
        ):
            yield


_PIECEWISE: Final = _Piecewise()


def audit_llama() -> Entry:
    return _llama(ForwardMode.DECODE)


def audit_qwen3() -> Entry:
    return _qwen3(ForwardMode.DECODE)


def audit_llama_decode() -> Entry:
    return _for_torch(_llama(ForwardMode.DECODE))


def audit_qwen3_decode() -> Entry:
    return _for_torch(_qwen3(ForwardMode.DECODE))


def audit_llama_decode_residual_mended() -> Entry:
    return _for_torch(_llama(ForwardMode.DECODE))


def audit_llama_decode_mended() -> Entry:
    return _for_torch(_llama(ForwardMode.DECODE))


def audit_qwen3_decode_mended() -> Entry:
    return _for_torch(_qwen3(ForwardMode.DECODE))


def audit_llama_prefill_mended() -> Entry:
    return _PIECEWISE.give(_for_torch(_llama(ForwardMode.EXTEND)))


def audit_qwen3_prefill_mended() -> Entry:
    return _PIECEWISE.give(_for_torch(_qwen3(ForwardMode.EXTEND)))


audit_llama.context = audit_qwen3.context = kernels
audit_llama_decode.context = audit_qwen3_decode.context = kernels
audit_llama_decode_residual_mended.context = partial(_mended, at=_RESIDUAL)
audit_llama_decode_mended.context = audit_qwen3_decode_mended.context = _mended
audit_llama_prefill_mended.context = audit_qwen3_prefill_mended.context = _PIECEWISE
