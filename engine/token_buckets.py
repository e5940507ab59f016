"""The token counts that a prefill is padded to, so that few shapes are ever run."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import chain

# (first, last, step): fine where few tokens would be mostly padding, coarse where they would not.
_RANGES = (
    (4, 32, 4),
    (48, 256, 16),
    (288, 512, 32),
    (576, 1024, 64),
    (1280, 4096, 256),
)
_COARSE_STEP = 512


def token_buckets(max_tokens: int) -> tuple[int, ...]:
    """The buckets up to `max_tokens`, smallest first.

    Raises:
        ValueError: not even the smallest bucket fits.
    """
    fine = chain.from_iterable(range(first, last + 1, step) for first, last, step in _RANGES)
    buckets = (*fine, *range(_RANGES[-1][1] + _COARSE_STEP, max_tokens + 1, _COARSE_STEP))
    if max_tokens < buckets[0]:
        raise ValueError(f"max_tokens is {max_tokens}; the smallest bucket is {buckets[0]}")
    return buckets[: bisect_right(buckets, max_tokens)]


def pad_tokens(buckets: tuple[int, ...], num_tokens: int) -> int:
    """The smallest bucket that holds `num_tokens`.

    Raises:
        ValueError: none does.
    """
    if not 1 <= num_tokens <= buckets[-1]:
        raise ValueError(f"{num_tokens} tokens fit no bucket; they go from 1 to {buckets[-1]}")
    return buckets[bisect_left(buckets, num_tokens)]
