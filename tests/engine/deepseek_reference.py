"""A DeepSeek-V3 decoder as loops: one token, one head, one expert at a time, in float32.

Written from the technical report (2024), sections 2.1.1 and 2.1.2, and from YaRN (2023). It shares
the weights of a model and nothing else.
"""

from __future__ import annotations

import cmath
import math
from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch.nn.functional import silu

from engine.deepseek_shape import DeepseekShape, ExpertShape, LatentAttentionShape, YarnScaling
from engine.experts import MixtureOfExperts

if TYPE_CHECKING:
    from torch import Tensor

    from engine.deepseek_model import DeepseekModel
    from engine.expert_router import ExpertRouter
    from engine.experts import RoutedExperts
    from engine.latent_attention import LatentAttention
    from engine.layers import GatedMLP, RMSNorm

# Sizes of which no two are equal where they could be mixed up.
SMALL = DeepseekShape(
    vocab_size=96,
    hidden_size=64,
    num_layers=2,
    num_dense_layers=1,
    dense_size=80,
    attention=LatentAttentionShape(
        num_heads=4,
        query_rank=24,
        key_value_rank=40,
        plain_head_dim=8,
        rotary_head_dim=16,
        value_head_dim=6,
    ),
    experts=ExpertShape(
        num_experts=8, inner_size=32, per_token=3, num_groups=4, groups_per_token=2, num_shared=2
    ),
)


def logits(model: DeepseekModel, prompt: Tensor) -> Tensor:
    """Those behind the last token of one prompt, (vocabulary,)."""
    rows = [model.embedding.weight[token] for token in prompt.tolist()]
    for layer in model.layers:
        normed = [norm(row, layer.attention_norm) for row in rows]
        attended = attention(layer.attention, normed, model.shape.rotary)
        rows = [row + more for row, more in zip(rows, attended, strict=True)]
        rows = [row + mlp(layer.mlp, norm(row, layer.mlp_norm)) for row in rows]
    return model.head.weight @ norm(rows[-1], model.norm)


def norm(row: Tensor, layer: RMSNorm) -> Tensor:
    """`x / rms(x) * weight` of one row."""
    return row / (row.square().sum() / row.shape[0] + layer.eps).sqrt() * layer.weight


def attention(layer: LatentAttention, rows: list[Tensor], scaling: YarnScaling) -> list[Tensor]:
    """Attention inside one prompt: for each token a row (hidden size,)."""
    sizes = layer.sizes
    queries = [_query(layer, row, place, scaling) for place, row in enumerate(rows)]
    pairs = [_key_and_value(layer, row, place, scaling) for place, row in enumerate(rows)]
    stretch = 0.1 * math.log(scaling.factor) * scaling.score_factor + 1
    scale = stretch**2 / math.sqrt(sizes.plain_head_dim + sizes.rotary_head_dim)
    mixed = []
    for place in range(len(rows)):
        heads = []
        for head in range(sizes.num_heads):
            scores = [
                float(queries[place][head] @ pairs[seen][0][head]) * scale
                for seen in range(place + 1)
            ]
            weights = torch.tensor(scores).softmax(dim=0)
            values = [pairs[seen][1][head] for seen in range(place + 1)]
            heads.append(sum(w * value for w, value in zip(weights, values, strict=True)))
        mixed.append(layer.output.weight @ torch.cat(heads))
    return mixed


def mlp(layer: GatedMLP | MixtureOfExperts, row: Tensor) -> Tensor:
    """The dense MLP, or the mixture, of one row."""
    if not isinstance(layer, MixtureOfExperts):
        return _gated(layer.gate_up.weight, layer.down.weight, row)
    return routed(layer.routed, row, route(layer.router, row)) + mlp(layer.shared, row)


def routed(layer: RoutedExperts, row: Tensor, routes: dict[int, float]) -> Tensor:
    """The weighted sum of the experts of one row."""
    total = torch.zeros_like(row)
    for expert, weight in routes.items():
        total = total + weight * _gated(layer.gate_up[expert], layer.down[expert], row)
    return total


def route(router: ExpertRouter, row: Tensor) -> dict[int, float]:
    """The experts of one row and their weights; of equal scores the first wins."""
    shape = router.shape
    scores = [1 / (1 + math.exp(-float(weights @ row))) for weights in router.weight]
    biased = [score + float(bias) for score, bias in zip(scores, router.bias, strict=True)]
    size = shape.num_experts // shape.num_groups
    groups = [range(start, start + size) for start in range(0, shape.num_experts, size)]
    best = sorted(groups, key=lambda group: -sum(sorted(biased[e] for e in group)[-2:]))
    open_to = sorted(expert for group in best[: shape.groups_per_token] for expert in group)
    chosen = sorted(open_to, key=lambda expert: -biased[expert])[: shape.per_token]
    total = sum(scores[expert] for expert in chosen)
    return {expert: scores[expert] / total * shape.scaling for expert in chosen}


def frequency(pair: int, size: int, scaling: YarnScaling) -> float:
    """Radians a token of one pair of a head of `size`: by turns within the original context."""
    plain = scaling.base ** (-2 * pair / size)

    def index(turns: float) -> float:
        # the pair whose frequency makes that many turns: base ** (-2 pair / size) * context / 2 pi
        return -size / 2 * math.log(turns * 2 * math.pi / scaling.original_context, scaling.base)

    first, last = math.floor(index(scaling.fast_turns)), math.ceil(index(scaling.slow_turns))
    first, last = max(first, 0), min(last, size - 1)
    if pair <= first:
        return plain
    if pair >= last:
        return plain / scaling.factor
    share = (pair - first) / (last - first)
    return plain * (1 - share) + plain / scaling.factor * share


def turned(head: Tensor, place: int, scaling: YarnScaling) -> Tensor:
    """Neighbouring numbers of a head as a complex number, times a turn."""
    numbers: list[float] = []
    for pair in range(head.shape[0] // 2):
        turn = cmath.rect(1, place * frequency(pair, head.shape[0], scaling))
        number = complex(float(head[2 * pair]), float(head[2 * pair + 1])) * turn
        numbers += [number.real, number.imag]
    return torch.tensor(numbers)


def _gated(gate_up: Tensor, down: Tensor, row: Tensor) -> Tensor:
    half = gate_up.shape[0] // 2
    return down @ (silu(gate_up[:half] @ row) * (gate_up[half:] @ row))


def _query(layer: LatentAttention, row: Tensor, place: int, scaling: YarnScaling) -> list[Tensor]:
    """One head after another, (head_dim,)."""
    latent = norm(layer.query_latent.weight @ row, layer.query_norm)
    plain = layer.sizes.plain_head_dim
    heads = []
    for start, end in _bounds(layer.sizes.num_heads, layer.sizes.head_dim):
        head = layer.query.weight[start:end] @ latent
        heads.append(torch.cat((head[:plain], turned(head[plain:], place, scaling))))
    return heads


def _key_and_value(
    layer: LatentAttention, row: Tensor, place: int, scaling: YarnScaling
) -> tuple[list[Tensor], list[Tensor]]:
    """One head after another, (head_dim,) and (value_head_dim,)."""
    sizes = layer.sizes
    joined = layer.key_value_latent.weight @ row
    latent = norm(joined[: sizes.key_value_rank], layer.key_value_norm)
    shared = turned(joined[sizes.key_value_rank :], place, scaling)
    keys, values = [], []
    for start, end in _bounds(sizes.num_heads, sizes.plain_head_dim + sizes.value_head_dim):
        head = layer.key_value.weight[start:end] @ latent
        keys.append(torch.cat((head[: sizes.plain_head_dim], shared)))
        values.append(head[sizes.plain_head_dim :])
    return keys, values


def _bounds(count: int, size: int) -> list[tuple[int, int]]:
    return list(pairwise(range(0, count * size + 1, size)))
