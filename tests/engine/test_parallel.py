"""The process's place in parallel execution."""

from __future__ import annotations

import pytest
import torch

from engine.parallel import Parallel, ParallelConfig, get_parallel


def test_published_values() -> None:
    """What is published is read; the rest has defaults of one rank."""
    parallel = Parallel()
    parallel.publish(ParallelConfig(tp_size=2, tp_rank=1))
    assert (parallel.tp_size, parallel.tp_rank) == (2, 1)
    assert (parallel.attn_cp_size, parallel.attn_cp_rank) == (1, 0)


def test_unpublished_leaf() -> None:
    """Nobody reads a default by accident."""
    with pytest.raises(ValueError, match=r"parallel\.attn_cp_size is not published; call"):
        _ = Parallel().attn_cp_size


def test_override_needs_nothing_published() -> None:
    """An override answers for its own leaves, and for no other."""
    parallel = Parallel()
    with parallel.override(attn_cp_size=4):
        assert parallel.attn_cp_size == 4
        with pytest.raises(ValueError, match="attn_cp_rank is not published"):
            _ = parallel.attn_cp_rank


def test_overrides_nest() -> None:
    """The innermost wins; each ends with its scope."""
    parallel = get_parallel()
    with parallel.override(attn_cp_size=4, attn_cp_rank=1):
        with parallel.override(attn_cp_rank=3):
            assert (parallel.attn_cp_size, parallel.attn_cp_rank) == (4, 3)
        assert (parallel.attn_cp_size, parallel.attn_cp_rank) == (4, 1)
    assert (parallel.attn_cp_size, parallel.attn_cp_rank) == (1, 0)


def test_an_error_ends_an_override() -> None:
    """What is raised inside leaves nothing behind."""
    with pytest.raises(KeyError), get_parallel().override(attn_cp_size=4):
        raise KeyError
    assert get_parallel().attn_cp_size == 1


def test_unknown_leaves() -> None:
    """A misspelt name is told, with the names there are."""
    names = "it has attn_cp_rank, attn_cp_size, tp_rank, tp_size"
    with pytest.raises(ValueError, match=f"no cp_size; {names}"):
        get_parallel().override(cp_size=4).__enter__()
    with pytest.raises(AttributeError, match=f"no 'cp_size'; {names}"):
        _ = get_parallel().cp_size


@pytest.mark.parametrize("leaves", [{"tp_size": 0}, {"attn_cp_rank": 1}, {"tp_rank": -1}])
def test_impossible_ranks(leaves: dict[str, int]) -> None:
    """A rank lies inside its group."""
    with pytest.raises(ValueError, match=r"rank is in \[0, size\)"):
        ParallelConfig(**leaves)


def test_traced_reads_follow_the_override() -> None:
    """The read is traced in one graph and is not stale afterwards."""

    def scale(x: torch.Tensor) -> torch.Tensor:
        return x * get_parallel().attn_cp_size

    compiled = torch.compile(scale, backend="eager", fullgraph=True)
    assert compiled(torch.ones(1)).item() == 1.0
    with get_parallel().override(attn_cp_size=4):
        assert compiled(torch.ones(1)).item() == 4.0
    assert compiled(torch.ones(1)).item() == 1.0
