"""A tensor in a few numbers: equal tensors have equal ones, and others do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import torch

_MOST_ELEMENTS: Final = 65_536
_EXACT: Final = 1e-5
_HALF: Final = 1e-2
_HALVES: Final = ("torch.float16", "torch.bfloat16")
_INTEGERS: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Digest:
    """A tensor in a few numbers, each with the size that its rounding is relative to."""

    kind: str  # dtype, shape
    numbers: tuple[float, ...] = ()
    scales: tuple[float, ...] = ()
    tolerance: float = 0.0

    def same(self, other: Digest) -> bool:
        """Tell whether two tensors are equal but for rounding."""
        if self.kind != other.kind or len(self.numbers) != len(other.numbers):
            return False
        tolerance = max(self.tolerance, other.tolerance)
        mine = zip(self.numbers, self.scales, strict=True)
        theirs = zip(other.numbers, other.scales, strict=True)
        return all(
            a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance * max(one, two)
            for (a, one), (b, two) in zip(mine, theirs, strict=True)
        )


def digest(tensor: torch.Tensor) -> Digest:
    """Take the digest of a tensor; of an unusual layout only dtype and shape."""
    kind = f"{tensor.dtype} {tuple(tensor.shape)}"
    plain = tensor.layout is torch.strided and not tensor.is_nested and not tensor.is_quantized
    if not plain or tensor.is_meta or not tensor.numel():
        return Digest(kind)
    flat = torch.view_as_real(tensor).reshape(-1) if tensor.is_complex() else tensor.reshape(-1)
    flat = flat[:: max(1, flat.numel() // _MOST_ELEMENTS)].to("cpu", torch.float64)
    finite = torch.where(flat.isfinite(), flat, 0.0)
    # a mask of -1e38 must not hide what stands beside it, nor a NaN the rest
    sums = [*_sums(finite), *_sums(finite.asinh())]
    exact = [(number, 0.0) for number, _ in _sums(_odd(flat))]
    numbers, scales = zip(*sums, *exact, strict=True)
    return Digest(kind, numbers, scales, _tolerance(tensor.dtype))


def _tolerance(dtype: torch.dtype) -> float:
    if str(dtype) in _HALVES:
        return _HALF
    return _EXACT if dtype.is_floating_point or dtype.is_complex else _INTEGERS


def _odd(flat: torch.Tensor) -> torch.Tensor:
    """Number what is not finite by its kind."""
    return flat.isnan().double() + 2 * flat.isposinf().double() + 3 * flat.isneginf().double()


def _sums(flat: torch.Tensor) -> list[tuple[float, float]]:
    """Add the elements up, as they are, by size, and by place."""
    ramp = torch.arange(flat.numel(), dtype=torch.float64).cos()
    scale = float(flat.abs().sum())
    return [(float(flat.sum()), scale), (scale, scale), (float(flat @ ramp), scale)]
