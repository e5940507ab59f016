"""The sorted product over experts against a loop over tokens and their experts."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from engine.deepseek_shape import ExpertShape
from engine.expert_router import Routes
from engine.experts import MixtureOfExperts, RoutedExperts
from tests.engine import deepseek_reference as reference

SHAPE = ExpertShape(
    num_experts=8, inner_size=20, per_token=3, num_groups=4, groups_per_token=2, num_shared=1
)
HIDDEN = 12
# Rows and columns are added up in another order: some float32 roundings of values near 1.
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def experts_of(shape: ExpertShape = SHAPE) -> RoutedExperts:
    """Random weights."""
    torch.manual_seed(0)
    return RoutedExperts(HIDDEN, shape).requires_grad_(requires_grad=False)


def by_token(layer: RoutedExperts, hidden: torch.Tensor, routes: Routes) -> torch.Tensor:
    """The loop's rows."""
    rows = [
        reference.routed(layer, row, dict(zip(experts, weights, strict=True)))
        for row, experts, weights in zip(hidden, *(part.tolist() for part in routes), strict=True)
    ]
    return torch.stack(rows)


@pytest.mark.parametrize(
    "chosen",
    [
        [[0, 1, 2], [7, 3, 5], [2, 1, 0], [4, 6, 7]],
        [[7, 6, 5], [5, 6, 7], [6, 7, 5]],
        [[3, 0, 7]],
        [[1, 4, 2]] * 40,
    ],
    ids=["every expert", "most experts without a token", "one token", "all tokens to three"],
)
def test_chosen_experts(chosen: list[list[int]]) -> None:
    """Each token has its own experts and weights back, in its own row."""
    layer, hidden = experts_of(), torch.randn(len(chosen), HIDDEN)
    routes = Routes(torch.tensor(chosen), torch.rand(len(chosen), 3))
    torch.testing.assert_close(layer(hidden, routes), by_token(layer, hidden, routes), **CLOSE)


@pytest.mark.parametrize("expert", [0, 3, 7])
def test_all_tokens_to_one_expert(expert: int) -> None:
    """The first, the last, one between."""
    layer, hidden = experts_of(replace(SHAPE, per_token=1)), torch.randn(33, HIDDEN)
    routes = Routes(torch.full((33, 1), expert), torch.rand(33, 1))
    torch.testing.assert_close(layer(hidden, routes), by_token(layer, hidden, routes), **CLOSE)


def test_no_token() -> None:
    """Nothing in, nothing out."""
    routes = Routes(torch.zeros(0, 3, dtype=torch.int64), torch.zeros(0, 3))
    assert experts_of()(torch.zeros(0, HIDDEN), routes).shape == (0, HIDDEN)


@pytest.mark.parametrize("num_shared", [1, 3])
@pytest.mark.parametrize("tokens", [1, 17])
def test_the_mixture_is_as_the_loop(tokens: int, num_shared: int) -> None:
    """Router, routed and shared experts together."""
    torch.manual_seed(0)
    layer = MixtureOfExperts(HIDDEN, replace(SHAPE, num_shared=num_shared))
    layer.requires_grad_(requires_grad=False)
    layer.router.bias.uniform_(-0.3, 0.3)
    hidden = torch.randn(tokens, HIDDEN)
    assert layer.shared.down.weight.shape == (HIDDEN, num_shared * SHAPE.inner_size)
    expected = torch.stack([reference.mlp(layer, row) for row in hidden])
    torch.testing.assert_close(layer(hidden), expected, **CLOSE)
