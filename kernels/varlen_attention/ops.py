"""The operator `kernels::varlen_attention`: schema, fake, dispatch, and the door that checks.

Dynamo traces the door and puts the operator into the graph; what a device computes stays opaque.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from kernels.varlen_attention.arguments import check_arguments
from kernels.varlen_attention.blockwise import attend
from kernels.varlen_attention.spans import read_spans


@torch.library.custom_op("kernels::varlen_attention", mutates_args=())
def _operator(  # noqa: PLR0913 - a schema has no records
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    softmax_scale: float | None,
    causal: bool,
) -> tuple[Tensor, Tensor]:
    """The operator in torch alone, on any device; `varlen_attention` describes the arguments."""
    spans = read_spans(cu_seqlens_q, cu_seqlens_k)
    spans.check(rows=(q.shape[0], k.shape[0]), longest=(max_seqlen_q, max_seqlen_k))
    scale = q.shape[2] ** -0.5 if softmax_scale is None else softmax_scale
    return attend(q, k, v, spans, scale=scale, causal=causal)


@_operator.register_fake
def _fake(q: Tensor, _k: Tensor, v: Tensor, *_: object) -> tuple[Tensor, Tensor]:
    """Results of the right shape, dtype and device, without values."""
    tokens, heads, _head_dim = q.shape
    out = q.new_empty(tokens, heads, v.shape[2])
    return out, q.new_empty(heads, tokens, dtype=torch.float32)


class AttentionResult(NamedTuple):
    """What attention gives.

    Attributes:
        out: (total_q, H, Dv) in the dtype of q.
        lse: float32 (H, total_q), natural logarithm of the sum of exponentials of the scaled and
            masked scores.
    """

    out: Tensor
    lse: Tensor


def varlen_attention(  # noqa: PLR0913 - the argument list that FlashAttention users know
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    *,
    softmax_scale: float | None = None,
    causal: bool = True,
) -> AttentionResult:
    """Attend inside each of several packed sequences.

    Rows of q from `cu_seqlens_q[-1]` on belong to no sequence: padding. Padding, and a query that
    sees no key, get an output of zero and an lse of minus infinity; what padding holds is not
    read. So a batch is padded by adding rows, and request slots without a sequence repeat the last
    bound. Rows of k and v from `cu_seqlens_k[-1]` on are not read either. Forward only.

    Args:
        q: (total_q, H, D), float32, bfloat16 or float16.
        k: (total_k, Hk, D), dtype and device of q; H is a multiple of Hk.
        v: (total_k, Hk, Dv), dtype and device of q.
        cu_seqlens_q: int32 (batch + 1,), where each sequence's queries start, and the end; starts
            at 0 and never falls.
        cu_seqlens_k: int32 (batch + 1,), the same for keys and values.
        max_seqlen_q: no sequence has more queries; an upper bound is enough.
        max_seqlen_k: no sequence has more keys; an upper bound is enough.
        softmax_scale: factor on the scores; None is `1 / sqrt(D)`.
        causal: query i of a sequence sees keys `j <= i + keys - queries`: the last query sits
            beside the last key.

    Raises:
        TypeError: a dtype that is not listed above.
        ValueError: shapes or devices that do not fit together; on the CPU also bounds that fall,
            leave the tensors, or exceed the maxima.
    """
    check_arguments(q, k, v, cu_seqlens_q, cu_seqlens_k)
    out, lse = torch.ops.kernels.varlen_attention(
        q,
        k,
        v,
        cu_seqlens_q,
        cu_seqlens_k,
        max_seqlen_q,
        max_seqlen_k,
        softmax_scale,
        causal,
    )
    return AttentionResult(out, lse)
