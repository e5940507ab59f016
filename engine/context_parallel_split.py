"""The interleaved split of a prefill: rank r owns the tokens i with `i % cp_size == r`.

Neighbouring tokens see about the same number of keys, so the ranks get equal shares of causal work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class InterleaveSplit:
    """One forward cut into `cp_size` shares, which differ by at most one token.

    Raises:
        ValueError: fewer tokens than ranks, so that a rank would own none.
    """

    total_tokens: int
    cp_size: int

    def __post_init__(self) -> None:
        if not 1 <= self.cp_size <= self.total_tokens:
            raise ValueError(
                f"{self.total_tokens} tokens cannot be split over {self.cp_size} ranks; "
                "run a forward this short on one rank"
            )

    @property
    def padded_rank_tokens(self) -> int:
        """Tokens of the largest share: what every rank pads to before the shares are gathered."""
        return -(-self.total_tokens // self.cp_size)

    def rank_tokens(self, rank: int) -> int:
        """Tokens that `rank` owns."""
        return len(range(rank, self.total_tokens, self.cp_size))

    def rank_query_lens(self, extend_lens: tuple[int, ...], rank: int) -> tuple[int, ...]:
        """Tokens that `rank` owns of each sequence, when the sequences stand one after another."""
        lens, start = [], 0
        for extend_len in extend_lens:
            lens.append(len(range((rank - start) % self.cp_size, extend_len, self.cp_size)))
            start += extend_len
        return tuple(lens)

    def gather_index(self) -> Tensor:
        """Where each token is found in the padded shares, laid one after another.

        Returns:
            int64 (total_tokens,): `(i % cp_size) * padded_rank_tokens + i // cp_size`.
        """
        token = torch.arange(self.total_tokens)
        return (token % self.cp_size) * self.padded_rank_tokens + token // self.cp_size


def rank_rows(rows: Tensor, *, cp_size: int, rank: int) -> Tensor:
    """The rows that `rank` owns: (n, ...) becomes (its share of n, ...), a view."""
    return rows[rank::cp_size]
