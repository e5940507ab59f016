"""A mixture of experts whose shapes depend on no data: one product over tokens sorted by expert."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.expert_router import ExpertRouter, Routes
from engine.layers import GatedMLP

if TYPE_CHECKING:
    from engine.deepseek_shape import ExpertShape


class RoutedExperts(nn.Module):
    """SwiGLU experts as two stacks of matrices.

    The products need rows of whole 16 bytes: sizes that are multiples of 4 in float32, of 8 in
    bfloat16. While tracing they take bfloat16 only.
    """

    def __init__(self, hidden_size: int, shape: ExpertShape) -> None:
        """As many experts on rows of `hidden_size` as `shape` says."""
        super().__init__()
        count, inner = shape.num_experts, shape.inner_size
        self.gate_up = nn.Parameter(torch.empty(count, 2 * inner, hidden_size))
        self.down = nn.Parameter(torch.empty(count, hidden_size, inner))
        nn.init.normal_(self.gate_up, std=hidden_size**-0.5)
        nn.init.normal_(self.down, std=inner**-0.5)

    def forward(self, hidden: Tensor, routes: Routes) -> Tensor:
        """The weighted sum of each row's experts: shape and dtype of `hidden`, (n, hidden size)."""
        per_token = routes.experts.shape[1]
        experts, order = routes.experts.flatten().sort(stable=True)
        # Where the rows of each expert end; an expert without a row ends where it starts.
        every = torch.arange(self.gate_up.shape[0], device=experts.device)
        ends = torch.searchsorted(experts, every, right=True, out_int32=True)
        mixed = self._mix(hidden[order // per_token], ends)
        # Back in the order of the tokens, and not added up by expert: a fixed order of summands.
        rows = torch.empty_like(mixed).index_copy(0, order, mixed)
        weights = routes.weights[:, None].to(hidden.dtype)
        return (weights @ rows.view(-1, per_token, rows.shape[1])).squeeze(1)

    def _mix(self, rows: Tensor, ends: Tensor) -> Tensor:
        """Each expert on its rows: those of `rows` (n k, hidden size) up to its end."""
        gate_up = functional.grouped_mm(rows, self.gate_up.transpose(1, 2), offs=ends)
        gate, up = gate_up.chunk(2, dim=-1)
        gated = functional.silu(gate) * up
        return functional.grouped_mm(gated, self.down.transpose(1, 2), offs=ends)


class MixtureOfExperts(nn.Module):
    """Routed experts, and the shared ones that see every token as one wider MLP."""

    def __init__(self, hidden_size: int, shape: ExpertShape) -> None:
        """The mixture of one layer on rows of `hidden_size`."""
        super().__init__()
        self.router = ExpertRouter(hidden_size, shape)
        self.routed = RoutedExperts(hidden_size, shape)
        self.shared = GatedMLP(hidden_size, shape.num_shared * shape.inner_size)

    def forward(self, hidden: Tensor) -> Tensor:
        """Shape and dtype of `hidden`: (n, hidden size)."""
        mixed: Tensor = self.routed(hidden, self.router(hidden)) + self.shared(hidden)
        return mixed
