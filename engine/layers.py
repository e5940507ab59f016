"""The parts of a decoder layer that look at one token at a time."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class RMSNorm(nn.Module):
    """Root mean square normalisation (Zhang and Sennrich, 2019): `x / rms(x) * weight`."""

    def __init__(self, size: int, *, eps: float = 1e-6) -> None:
        """Normalise the last dimension, of `size`; `eps` is added to the mean square."""
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Shape and dtype of x: (n, size); the mean is taken in float32."""
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + self.eps)
        return (wide * scale).to(x.dtype) * self.weight


class GatedMLP(nn.Module):
    """SwiGLU (Shazeer, 2020): `down(silu(gate(x)) * up(x))`, gate and up in one matrix."""

    def __init__(self, size: int, inner_size: int) -> None:
        """Map (n, size) to (n, size) through `inner_size` gated units."""
        super().__init__()
        self.gate_up = nn.Linear(size, 2 * inner_size, bias=False)
        self.down = nn.Linear(inner_size, size, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Shape and dtype of x: (n, size)."""
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        mixed: Tensor = self.down(functional.silu(gate) * up)
        return mixed


def rotate(heads: Tensor, positions: Tensor, *, base: float = 10_000.0) -> Tensor:
    """Rotary position embedding (Su et al., 2021), first half of a head against the second.

    Args:
        heads: (n, H, D), D even.
        positions: int64 (n,), the place of each token in its sequence.
        base: the wavelength of the slowest pair, in tokens, over 2 pi.

    Returns:
        Shape and dtype of `heads`; the angles are float32.
    """
    half = heads.shape[-1] // 2
    frequencies = base ** (-torch.arange(half, device=heads.device) / half)
    angles = (positions[:, None] * frequencies)[:, None, :]
    cos, sin = angles.cos(), angles.sin()
    first, second = heads.float().chunk(2, dim=-1)
    rotated = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
    return rotated.to(heads.dtype)
