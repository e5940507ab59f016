"""A backend that runs each graph as it is, in a frame that can be told in a stack."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch._C._autograd import _get_sequence_nr

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch


@dataclass(slots=True)
class Graphs:
    """The graphs of one compiled callable, and the autograd nodes that they made."""

    made: int = 0
    _nodes: list[range] = field(default_factory=list)  # sequence numbers

    def __call__(self, graph: torch.fx.GraphModule, _inputs: Any, **_options: Any) -> Any:
        """Take a graph; `mode` and `options` of torch.compile arrive as keywords."""
        self.made += 1
        return self.marked(graph.forward)

    def marked(self, forward: Callable[..., Any]) -> Callable[..., Any]:
        """Give a function that runs a graph under a frame of this file."""

        def run_graph(*args: Any) -> Any:
            first = _get_sequence_nr()
            try:
                return forward(*args)
            finally:
                self._nodes.append(range(first, _get_sequence_nr()))

        return run_graph

    def own(self, sequence_nr: int) -> bool:
        """Tell whether a graph made the autograd node of this number."""
        return any(sequence_nr in nodes for nodes in self._nodes)
