"""Which experts see a token, and with what weight (DeepSeek-V3 technical report, section 2.1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from engine.deepseek_shape import ExpertShape

# A group is as good as its two best experts.
_SCORED_EXPERTS = 2
# Keeps the weights finite where every chosen sigmoid is zero in float32.
_SMALLEST_SUM = 1e-20


class Routes(NamedTuple):
    """The experts of n tokens, k each.

    Attributes:
        experts: int64 (n, k), different ones in each row.
        weights: float32 (n, k).
    """

    experts: Tensor
    weights: Tensor


class ExpertRouter(nn.Module):
    """Sigmoid scores; a bias that keeps the experts evenly busy counts for the choice only.

    Of experts with equal scores any may be chosen: `topk` does not say which.
    """

    def __init__(self, hidden_size: int, shape: ExpertShape) -> None:
        """Route rows of `hidden_size` to the experts of `shape`; the bias is zero."""
        super().__init__()
        self.shape = shape
        self.weight = nn.Parameter(torch.empty(shape.num_experts, hidden_size))
        nn.init.normal_(self.weight, std=hidden_size**-0.5)
        # float32 in every model: bfloat16 cannot hold the small steps that balance the load.
        self.bias = nn.Parameter(torch.zeros(shape.num_experts, dtype=torch.float32))

    def forward(self, hidden: Tensor) -> Routes:
        """The routes of `hidden`, (n, hidden size); computed in float32."""
        scores = functional.linear(hidden.float(), self.weight.float()).sigmoid()
        experts = self._choose(scores + self.bias)
        weights = scores.gather(1, experts)
        total = weights.sum(dim=1, keepdim=True) + _SMALLEST_SUM
        return Routes(experts, weights / total * self.shape.scaling)

    def _choose(self, scores: Tensor) -> Tensor:
        """The experts with the best `scores`, (n, experts), out of each token's best groups."""
        shape = self.shape
        groups = scores.view(-1, shape.num_groups, shape.group_size)
        group_scores = groups.topk(_SCORED_EXPERTS, dim=2).values.sum(dim=2)
        kept = group_scores.topk(shape.groups_per_token, dim=1).indices
        left_out = torch.ones_like(group_scores, dtype=torch.bool).scatter(1, kept, value=False)
        choices = groups.masked_fill(left_out[:, :, None], float("-inf")).flatten(1)
        return choices.topk(shape.per_token, dim=1).indices
