"""Rotary positions with YaRN's stretch, and what the stretch does to the attention's scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

if TYPE_CHECKING:
    from engine.deepseek_shape import YarnScaling

# Where fast and slow pairs meet: a step, and no division by zero.
_SHORTEST_RAMP = 1e-3


class Turns(NamedTuple):
    """How far each pair of a head turns at each token.

    Attributes:
        cos: float32 (n, pairs).
        sin: float32 (n, pairs).
    """

    cos: Tensor
    sin: Tensor


def yarn_turns(positions: Tensor, size: int, scaling: YarnScaling) -> Turns:
    """The turns of the `size` / 2 pairs of a head at `positions`, int64 (n,)."""
    frequencies = yarn_frequencies(size, scaling, device=positions.device)
    angles = positions[:, None] * frequencies
    return Turns(angles.cos(), angles.sin())


def yarn_frequencies(
    size: int, scaling: YarnScaling, *, device: torch.device | None = None
) -> Tensor:
    """The angle per token of each pair, in radians (Peng et al., 2023, section 3.2).

    Fast pairs keep their frequency, slow ones are divided by the factor; between the two the
    share of the division rises with the index of the pair, in a straight line.

    Returns:
        float32 (size / 2,).
    """
    pairs = torch.arange(size // 2, device=device)
    first = max(math.floor(_pair_that_turns(scaling.fast_turns, size, scaling)), 0)
    last = min(math.ceil(_pair_that_turns(scaling.slow_turns, size, scaling)), size - 1)
    stretched = ((pairs - first) / max(last - first, _SHORTEST_RAMP)).clamp(0, 1)
    plain = scaling.base ** (-2 * pairs / size)
    return plain * (1 - stretched) + plain / scaling.factor * stretched


def score_scale(head_dim: int, scaling: YarnScaling) -> float:
    """The factor on the scores of heads of `head_dim`: `1 / sqrt(head_dim)` with YaRN's correction.

    The correction is that of DeepSeek's published inference code. A factor of 1 or less stretches
    nothing and corrects nothing.
    """
    stretch = math.log(scaling.factor) if scaling.factor > 1 else 0.0
    correction = 0.1 * scaling.score_factor * stretch + 1
    return correction**2 / math.sqrt(head_dim)


def rotate_pairs(heads: Tensor, turns: Turns) -> Tensor:
    """Rotary position embedding of neighbours: numbers 2 i and 2 i + 1 of a head are pair i.

    Args:
        heads: (n, H, D), D even.
        turns: float32 (n, D / 2) each.

    Returns:
        Shape and dtype of `heads`; computed in float32.
    """
    cos, sin = (turn[:, None] for turn in turns)
    first, second = heads.float().view(*heads.shape[:-1], -1, 2).unbind(-1)
    rotated = torch.stack((first * cos - second * sin, second * cos + first * sin), dim=-1)
    return rotated.flatten(-2).to(heads.dtype)


def _pair_that_turns(times: float, size: int, scaling: YarnScaling) -> float:
    """The index of the pair that turns so many times within the original context."""
    wavelength = scaling.original_context / times
    return size * math.log(wavelength / (2 * math.pi)) / (2 * math.log(scaling.base))
