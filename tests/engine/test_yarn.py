"""Stretched rotary positions against the loop, and by hand."""

from __future__ import annotations

import pytest
import torch

from engine.deepseek_shape import YarnScaling
from engine.yarn import rotate_pairs, score_scale, yarn_frequencies, yarn_turns
from tests.engine.deepseek_reference import frequency, turned

PUBLISHED = YarnScaling()


def test_published_frequencies_by_hand() -> None:
    """Of 32 pairs those up to 10 turn as before, from 23 on 40 times slower, 16 in between."""
    frequencies = yarn_frequencies(64, PUBLISHED).tolist()
    plain = [10_000 ** (-pair / 32) for pair in range(32)]
    assert frequencies[:11] == pytest.approx(plain[:11])
    assert frequencies[23:] == pytest.approx([each / 40 for each in plain[23:]])
    assert frequencies[16] == pytest.approx(plain[16] * (7 / 13 + 6 / 13 / 40))


@pytest.mark.parametrize("size", [2, 4, 16, 64, 128])
@pytest.mark.parametrize(
    "scaling",
    [
        PUBLISHED,
        YarnScaling(factor=1.0),
        YarnScaling(base=1e6, factor=4.0, original_context=32_768),
        YarnScaling(fast_turns=1.0, slow_turns=1.0),
    ],
)
def test_frequencies_as_the_loop(size: int, scaling: YarnScaling) -> None:
    """Any size, no stretch, a step instead of a ramp."""
    expected = [frequency(pair, size, scaling) for pair in range(size // 2)]
    # float32 powers
    assert yarn_frequencies(size, scaling).tolist() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("position", [0, 1, 100])
def test_rotation_as_complex_numbers(position: int) -> None:
    """Neighbours are a complex number, each head on its own."""
    heads = torch.randn(1, 3, 16)
    rotated = rotate_pairs(heads, yarn_turns(torch.tensor([position]), 16, PUBLISHED))
    expected = torch.stack([turned(head, position, PUBLISHED) for head in heads[0]])[None]
    # float32 angles near 100 are exact to 4e-6.
    torch.testing.assert_close(rotated, expected, rtol=0, atol=5e-5)


def test_rotation_keeps_the_dtype() -> None:
    """float32 is used inside only."""
    heads = torch.ones(1, 1, 4, dtype=torch.bfloat16)
    turns = yarn_turns(torch.tensor([1]), 4, PUBLISHED)
    assert rotate_pairs(heads, turns).dtype == torch.bfloat16


def test_the_scale_of_the_published_scores() -> None:
    """`(0.1 ln 40 + 1) ** 2 / sqrt(192)`."""
    assert score_scale(192, PUBLISHED) == pytest.approx(0.1352337788608801)


def test_no_stretch_corrects_no_score() -> None:
    """Nor does a factor below 1."""
    for factor in (1.0, 0.5):
        assert score_scale(64, YarnScaling(factor=factor)) == 0.125
