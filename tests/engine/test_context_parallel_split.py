"""The interleaved split."""

from __future__ import annotations

import pytest
import torch

from engine.context_parallel_split import InterleaveSplit, rank_rows


def test_ten_tokens_on_four_ranks() -> None:
    """By hand: ranks 0 and 1 own three tokens, ranks 2 and 3 own two."""
    split = InterleaveSplit(total_tokens=10, cp_size=4)
    assert [split.rank_tokens(rank) for rank in range(4)] == [3, 3, 2, 2]
    assert split.padded_rank_tokens == 3
    assert split.gather_index().tolist() == [0, 3, 6, 9, 1, 4, 7, 10, 2, 5]


def test_query_lens_by_hand() -> None:
    """Sequences of 5, 4 and 1 token: rank 1 owns tokens 1, 5 and 9."""
    split = InterleaveSplit(total_tokens=10, cp_size=4)
    assert split.rank_query_lens((5, 4, 1), rank=1) == (1, 1, 1)
    assert split.rank_query_lens((5, 4, 1), rank=0) == (2, 1, 0)
    assert split.rank_query_lens((5, 0, 5), rank=3) == (1, 0, 1)


@pytest.mark.parametrize("cp_size", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("total", [7, 8, 63])
def test_gathering_the_padded_shares_restores_the_order(total: int, cp_size: int) -> None:
    """Cut, padded to the largest share, laid one after another, gathered: as before."""
    split = InterleaveSplit(total_tokens=total, cp_size=cp_size)
    rows = torch.arange(total * 2).view(total, 2)
    gathered = torch.full((cp_size * split.padded_rank_tokens, 2), -1)
    for rank in range(cp_size):
        share = rank_rows(rows, cp_size=cp_size, rank=rank)
        assert share.shape[0] == split.rank_tokens(rank)
        start = rank * split.padded_rank_tokens
        gathered[start : start + share.shape[0]] = share
    assert torch.equal(gathered[split.gather_index()], rows)


@pytest.mark.parametrize(("total", "cp_size"), [(3, 4), (0, 1), (5, 0)])
def test_too_short(total: int, cp_size: int) -> None:
    """No rank goes without a token."""
    with pytest.raises(ValueError, match=f"{total} tokens cannot be split over {cp_size} ranks"):
        InterleaveSplit(total_tokens=total, cp_size=cp_size)
