"""Norm, rotation and MLP, by hand."""

from __future__ import annotations

import math

import pytest
import torch

from engine.layers import GatedMLP, RMSNorm, rotate


def test_norm_by_hand() -> None:
    """The root mean square of (1, 7) is 5; the weight is a factor."""
    norm = RMSNorm(2, eps=0.0)
    norm.weight.data = torch.tensor([1.0, 10.0])
    assert norm(torch.tensor([[1.0, 7.0]])).flatten().tolist() == pytest.approx([0.2, 14.0])


def test_norm_of_zero() -> None:
    """The epsilon keeps a row of zeros finite."""
    assert RMSNorm(2)(torch.zeros(1, 2)).tolist() == [[0.0, 0.0]]


def test_norm_keeps_the_dtype() -> None:
    """float32 is used inside only."""
    norm = RMSNorm(4).to(torch.bfloat16)
    assert norm(torch.ones(1, 4, dtype=torch.bfloat16)).dtype == torch.bfloat16


def test_rotation_by_hand() -> None:
    """Of four numbers the first pair turns by the position, the second by a hundredth of it."""
    heads = torch.tensor([[[1.0, 1.0, 0.0, 0.0]]])
    turned = rotate(heads, torch.tensor([2])).flatten().tolist()
    assert turned == pytest.approx([math.cos(2), math.cos(0.02), math.sin(2), math.sin(0.02)])


def test_position_zero_is_not_turned() -> None:
    """The first token keeps its heads."""
    heads = torch.randn(1, 3, 8)
    assert torch.equal(rotate(heads, torch.tensor([0])), heads)


def test_scores_depend_on_distance_only() -> None:
    """Positions 3 and 5 score as positions 103 and 105 do."""
    q, k = torch.randn(2, 1, 1, 16).unbind()
    near = (rotate(q, torch.tensor([5])) * rotate(k, torch.tensor([3]))).sum()
    far = (rotate(q, torch.tensor([105])) * rotate(k, torch.tensor([103]))).sum()
    # float32 angles near 100 are exact to 4e-6.
    assert near.item() == pytest.approx(far.item(), abs=1e-4)


def test_mlp_by_hand() -> None:
    """silu(2) * 3 through matrices of ones and a factor."""
    mlp = GatedMLP(1, 1)
    mlp.gate_up.weight.data = torch.tensor([[2.0], [3.0]])
    mlp.down.weight.data = torch.tensor([[1.0]])
    assert mlp(torch.ones(1, 1)).item() == pytest.approx(2 / (1 + math.exp(-2)) * 3)
