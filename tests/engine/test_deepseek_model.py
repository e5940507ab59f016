"""The whole decoder: as the loop and as another implementation say, and in one graph."""

from __future__ import annotations

import pytest
import torch

from engine.deepseek_model import DeepseekModel, build_deepseek, empty_deepseek
from engine.prompt_batch import build_prompt_batch
from tests.engine import deepseek_reference as reference
from tests.engine.deepseek_reference import SMALL

# Sums in another order: some float32 roundings of values near 1 after two layers.
CLOSE = {"rtol": 1e-4, "atol": 1e-5}
LENGTHS = (5, 1, 7)
TOKENS = torch.arange(sum(LENGTHS)) * 7 % SMALL.vocab_size


def model(seed: int = 0) -> DeepseekModel:
    """Random weights and biases, in float32."""
    built = build_deepseek(SMALL, dtype=torch.float32, seed=seed)
    built.layers[1].mlp.router.bias.uniform_(-0.3, 0.3)
    return built


def test_logits_as_the_loop() -> None:
    """Those behind the last token of each prompt."""
    built = model()
    expected = [reference.logits(built, prompt) for prompt in TOKENS.split(LENGTHS)]
    got = built(TOKENS, build_prompt_batch(LENGTHS))
    torch.testing.assert_close(got, torch.stack(expected), **CLOSE)


def test_prompts_do_not_see_each_other() -> None:
    """Other tokens in the first prompt change nothing in the others."""
    changed = TOKENS.clone()
    changed[: LENGTHS[0]] += 1
    batch = build_prompt_batch(LENGTHS)
    before, after = model()(TOKENS, batch), model()(changed, batch)
    assert not torch.allclose(before[0], after[0])
    torch.testing.assert_close(before[1:], after[1:], **CLOSE)


def test_the_seed_decides_the_weights() -> None:
    """Same seed, same logits; another seed, others."""
    batch = build_prompt_batch(LENGTHS)
    first, again, other = (model(seed)(TOKENS, batch) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)


def test_an_empty_model_draws_no_number() -> None:
    """The generator stands where it stood, and the default dtype is what it was."""
    before = torch.get_rng_state()
    built = empty_deepseek(SMALL)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_default_dtype() is torch.float32
    shapes = {name: weight.shape for name, weight in built.named_parameters()}
    assert shapes == {name: weight.shape for name, weight in model().named_parameters()}


def test_the_default_dtype_comes_back_after_an_error() -> None:
    """A model that cannot be made leaves nothing behind."""
    with pytest.raises(AttributeError):
        build_deepseek(None)  # type: ignore[arg-type]
    assert torch.get_default_dtype() is torch.float32


@pytest.mark.parametrize("lengths", [(1,), LENGTHS])
@pytest.mark.parametrize("dynamic", [None, True])
def test_one_graph(lengths: tuple[int, ...], *, dynamic: bool | None) -> None:
    """It traces and computes the same, operator by operator, in bfloat16."""
    built = build_deepseek(SMALL)
    tokens, batch = TOKENS[: sum(lengths)], build_prompt_batch(lengths)
    compiled = torch.compile(built, backend="eager", fullgraph=True, dynamic=dynamic)
    assert torch.equal(compiled(tokens, batch), built(tokens, batch))


def test_other_prompts_of_a_size_do_not_compile_again() -> None:
    """Which experts a token has, and where a prompt ends, are no part of the graph."""
    built = build_deepseek(SMALL)
    compiled = torch.compile(built, backend="eager", fullgraph=True)
    compiled(TOKENS, build_prompt_batch((6, 7)))
    with torch.compiler.set_stance("fail_on_recompile"):
        got = compiled(TOKENS + 1, build_prompt_batch((7, 6)))
    assert torch.equal(got, built(TOKENS + 1, build_prompt_batch((7, 6))))
