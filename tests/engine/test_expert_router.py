"""Routing against a sort in Python, token by token."""

from __future__ import annotations

import pytest
import torch

from engine.deepseek_shape import ExpertShape
from engine.expert_router import ExpertRouter
from tests.engine import deepseek_reference as reference

SHAPES = [
    ExpertShape(),
    ExpertShape(num_experts=8, per_token=3, num_groups=4, groups_per_token=2),
    ExpertShape(num_experts=8, per_token=8, num_groups=2, groups_per_token=2),
    ExpertShape(num_experts=6, per_token=1, num_groups=1, groups_per_token=1),
    ExpertShape(num_experts=6, per_token=2, num_groups=3, groups_per_token=1),
]
HIDDEN = 24


def router_of(shape: ExpertShape, bias: float = 0.3) -> ExpertRouter:
    """Random weights and biases: large ones, which change most choices."""
    router = ExpertRouter(HIDDEN, shape).requires_grad_(requires_grad=False)
    router.bias.uniform_(-bias, bias)
    return router


@pytest.mark.parametrize("tokens", [0, 1, 50])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.num_experts}")
def test_routes_as_the_sort(shape: ExpertShape, tokens: int) -> None:
    """The same experts, whatever their order, and their weights."""
    torch.manual_seed(0)
    router, hidden = router_of(shape), torch.randn(tokens, HIDDEN)
    routes = router(hidden)
    assert routes.experts.shape == routes.weights.shape == (tokens, shape.per_token)
    for row, experts, weights in zip(hidden, *(part.tolist() for part in routes), strict=True):
        expected = reference.route(router, row)
        got = dict(zip(experts, weights, strict=True))
        # Another order of summands: a few float32 roundings.
        assert got == pytest.approx(expected, rel=1e-5)


def test_the_bias_chooses_and_does_not_weigh() -> None:
    """A bias that lifts two experts above all gives them to each token, with their own scores."""
    shape = SHAPES[-1]
    router = router_of(shape, bias=0.0)
    router.bias[2:4] = 5.0
    hidden = torch.randn(9, HIDDEN)
    routes = router(hidden)
    assert routes.experts.sort(dim=1).values.tolist() == [[2, 3]] * 9
    scores = (hidden @ router.weight.T).sigmoid().gather(1, routes.experts)
    expected = scores / scores.sum(dim=1, keepdim=True) * 2.5
    torch.testing.assert_close(routes.weights, expected)


def test_a_better_expert_in_a_worse_group_is_left_out() -> None:
    """The two best of a group count: 0.6 + 0.6 is more than 0.9 + 0.1."""
    router = router_of(ExpertShape(num_experts=4, per_token=1, num_groups=2, groups_per_token=1))
    router.weight.zero_()
    router.bias.copy_(torch.tensor([0.9, 0.1, 0.6, 0.6]))
    assert router(torch.ones(1, HIDDEN)).experts.item() in (2, 3)


def test_negative_scores_are_chosen_before_another_group() -> None:
    """A group that was left out gives no expert, also where all that is left is below zero."""
    router = router_of(ExpertShape(num_experts=4, per_token=2, num_groups=2, groups_per_token=1))
    router.weight.zero_()
    router.bias.copy_(torch.tensor([-9.0, -9.0, -1.0, -8.0]))
    assert sorted(router(torch.ones(1, HIDDEN)).experts[0].tolist()) == [2, 3]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.num_experts}")
def test_ties(shape: ExpertShape) -> None:
    """Equal scores give different experts, of no more groups than allowed, and equal weights."""
    router = router_of(shape, bias=0.0)
    router.weight.zero_()
    routes = router(torch.ones(5, HIDDEN))
    for experts in routes.experts.tolist():
        assert len(set(experts)) == shape.per_token
        groups = {expert // shape.group_size for expert in experts}
        assert len(groups) <= shape.groups_per_token
    expected = torch.full_like(routes.weights, 2.5 / shape.per_token)
    torch.testing.assert_close(routes.weights, expected)


def test_scores_of_zero_give_no_nan() -> None:
    """The sigmoid of -1000 is 0 in float32, for all experts."""
    router = router_of(SHAPES[1])
    router.weight.fill_(-1000 / HIDDEN)
    assert router(torch.ones(1, HIDDEN)).weights.tolist() == [[0.0, 0.0, 0.0]]


def test_weights_are_float32() -> None:
    """Also those of bfloat16 rows."""
    router = router_of(SHAPES[1]).bfloat16()
    assert router(torch.ones(2, HIDDEN, dtype=torch.bfloat16)).weights.dtype == torch.float32
