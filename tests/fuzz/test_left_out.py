"""What the grammar leaves out: here stock Dynamo (2.13) is itself at fault, without a break."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

if TYPE_CHECKING:
    from collections.abc import Generator


def inner(x: torch.Tensor) -> Generator[torch.Tensor, None, torch.Tensor]:
    """Return something besides what is yielded."""
    yield x
    return x + 1


def outer(x: torch.Tensor) -> Generator[torch.Tensor, None, None]:
    """Yield what the inner one returns."""
    x = yield from inner(x)
    yield x


def closes(x: torch.Tensor) -> torch.Tensor:
    """Break between the beginning and the end of a generator."""
    made = inner(x)
    next(made)
    torch._dynamo.graph_break()
    made.close()
    return x


@pytest.fixture(autouse=True)
def _anew() -> None:
    torch.compiler.reset()


def compiled(call: Any, *, fullgraph: bool) -> Any:
    """Compile for nothing but Dynamo."""
    return torch.compile(call, backend="eager", fullgraph=fullgraph)


def test_what_yield_from_returns(ones: torch.Tensor) -> None:
    """It is lost: the graph is of another program."""

    def last(x: torch.Tensor) -> Any:
        return list(outer(x))[-1]

    assert torch.equal(last(ones), ones + 1)
    assert compiled(last, fullgraph=True)(ones) is None


def test_a_generator_behind_a_break(ones: torch.Tensor) -> None:
    """It is an iterator over a tuple there, which cannot be closed."""
    assert torch.equal(closes(ones), ones)
    with pytest.raises(AttributeError, match="tuple_iterator"):
        compiled(closes, fullgraph=False)(ones)


@pytest.fixture
def ones() -> torch.Tensor:
    """Three ones."""
    return torch.ones(3)
