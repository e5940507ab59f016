"""Real tensors: the captured graph, run node by node as far as a step needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import torch
from torch.utils import _pytree as pytree

from graphaudit._dynamo.see_through import transforms
from graphaudit._dynamo.see_through.inputs import Inputs
from graphaudit._dynamo.see_through.outside import outside
from graphaudit._dynamo.see_through.signals import CannotGoOn
from graphaudit._dynamo.see_through.transforms import Transforms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphaudit._dynamo.see_through.originals import Originals

_GRAD_MODES: Final = frozenset({"_set_grad_enabled", "set_grad_enabled"})
# Their effect is read off the fake results instead.
_MODES: Final = frozenset(
    {
        *_GRAD_MODES,
        "_enter_autocast",
        "_exit_autocast",
        "_enter_inference_mode",
        "_exit_inference_mode",
    }
)
_ENTERING: Final = "_increment_nesting"


class Interpreter:
    """Runs the nodes of one output graph, in order, each once."""

    def __init__(self, output: Any, originals: Originals) -> None:
        self._output = output
        self._failed: dict[Any, Exception] = {}
        self._inputs = Inputs(originals)
        self._grad = True  # the mode that the nodes so far have left
        self.transforms = Transforms()
        self.values: dict[Any, Any] = {}  # node -> real value

    def value(self, node: Any) -> Any:
        """Give the real value of a node; what precedes it in the graph runs first.

        Raises:
            CannotGoOn: The node, or one that it needs, cannot be run.
        """
        self.catch_up()
        if node not in self.values:
            raise CannotGoOn(f"no real value for graph node {node}: {self._failed.get(node)!r}")
        return self.values[node]

    def catch_up(self) -> None:
        """Run what the graph has so far."""
        with self.transforms.entered():
            for tracer in self._tracers():
                for one in tracer.graph.nodes:
                    if one not in self.values and one not in self._failed and one.op != "output":
                        self._run(one, tracer)

    def node_of(self, value: Any) -> Any | None:
        """Find the node of the outermost graph that stands for a real tensor."""
        graph = self._output.graph
        found = (node for node, one in self.values.items() if one is value and node.graph is graph)
        return next(found, None)

    def put_back(self) -> None:
        """Leave the transforms, and undo what the run nodes wrote into inputs."""
        self.transforms.close()
        self._inputs.put_back()

    def _tracers(self) -> Iterator[Any]:
        chain: list[Any] = [self._output.current_tracer]
        while chain[-1].parent is not None:
            chain.append(chain[-1].parent)
        yield from reversed(chain)

    def _run(self, node: Any, tracer: Any) -> None:
        try:
            self.values[node] = (
                self._input(node, tracer) if node.op == "placeholder" else self._result(node)
            )
        # an operator may fail on real values in any way: who needs the value cannot go on
        except Exception as error:  # noqa: BLE001
            self._failed[node] = error

    def _input(self, node: Any, tracer: Any) -> Any:
        given = node.meta.get("grapharg")
        if given is not None and given.example is not None:
            return self._inputs.take(given)
        # the body of a higher-order operator
        for outer, inner in getattr(tracer, "lifted_freevars", {}).items():
            if inner.node is node and outer.node in self.values:
                return self.values[outer.node]
        fake = node.meta.get("example_value")
        for other, value in self.values.items():
            if fake is not None and other.meta.get("example_value") is fake:
                return value
        raise CannotGoOn(f"no value for input {node}")

    def _result(self, node: Any) -> Any:
        name = getattr(node.target, "__name__", "")
        if name in _MODES:
            self._grad = node.args[0] if name in _GRAD_MODES else self._grad
            return None
        fake = node.meta.get("example_value")
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), self.values.__getitem__)
        with outside(), torch.set_grad_enabled(self._has_grad(name, fake)):
            if node.op == "get_attr":
                return self._output.nn_modules.get(node.target)
            self._inputs.before(node, args, kwargs)
            result = self._function(node)(*args, **kwargs)
        if isinstance(fake, torch.Tensor) and isinstance(result, torch.Tensor):
            # another one if it ran under autocast; a transform would wrap what is just given on
            return result if result.dtype == fake.dtype else result.to(fake.dtype)
        return result

    def _has_grad(self, name: str, fake: Any) -> bool:
        """Tell whether a node runs with gradients.

        A transform keeps the mode that it is entered in, and shows only its own gradients.
        """
        if name.endswith(_ENTERING) or transforms.depth():
            return self._grad
        leaves = pytree.tree_leaves(fake)
        return any(isinstance(one, torch.Tensor) and one.requires_grad for one in leaves)

    def _function(self, node: Any) -> Any:
        if node.op == "call_module":
            return self._output.nn_modules.get(node.target)
        if node.op == "call_method":
            return lambda this, *args, **kwargs: getattr(this, node.target)(*args, **kwargs)
        return self.transforms.special(getattr(node.target, "__name__", "")) or node.target
