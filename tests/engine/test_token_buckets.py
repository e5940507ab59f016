"""The token counts that prefills are padded to."""

from __future__ import annotations

import pytest

from engine.token_buckets import pad_tokens, token_buckets


def test_small_buckets() -> None:
    """Steps of 4, then of 16."""
    assert token_buckets(80) == (4, 8, 12, 16, 20, 24, 28, 32, 48, 64, 80)


@pytest.mark.parametrize(
    ("max_tokens", "last_two"),
    [
        (4, (4,)),
        (47, (28, 32)),
        (256, (240, 256)),
        (512, (480, 512)),
        (1024, (960, 1024)),
        (1279, (960, 1024)),
        (4096, (3840, 4096)),
        (8192, (7680, 8192)),
    ],
)
def test_where_the_buckets_end(max_tokens: int, last_two: tuple[int, ...]) -> None:
    """They are cut at the maximum, and grow coarser on the way."""
    assert token_buckets(max_tokens)[-2:] == last_two


@pytest.mark.parametrize(
    ("num_tokens", "bucket"), [(1, 4), (4, 4), (5, 8), (33, 48), (257, 288), (1025, 1280)]
)
def test_padding_goes_to_the_next_bucket(num_tokens: int, bucket: int) -> None:
    """A bucket holds its own size."""
    assert pad_tokens(token_buckets(2048), num_tokens) == bucket


@pytest.mark.parametrize("num_tokens", [0, 65])
def test_no_bucket(num_tokens: int) -> None:
    """The error says which counts there are."""
    with pytest.raises(ValueError, match=f"{num_tokens} tokens fit no bucket; .* from 1 to 64"):
        pad_tokens(token_buckets(64), num_tokens)


def test_maximum_below_the_smallest_bucket() -> None:
    """Three tokens are no bucket."""
    with pytest.raises(ValueError, match="max_tokens is 3; the smallest bucket is 4"):
        token_buckets(3)
