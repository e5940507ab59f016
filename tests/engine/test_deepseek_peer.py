"""The decoder against the one in transformers, which shares no line with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from transformers import DeepseekV3Config, DeepseekV3ForCausalLM

from engine.deepseek_model import build_deepseek
from engine.prompt_batch import build_prompt_batch
from tests.engine.deepseek_reference import SMALL

if TYPE_CHECKING:
    from engine.deepseek_model import DeepseekModel

# Sums in another order: some float32 roundings of values near 1 after two layers.
CLOSE = {"rtol": 1e-4, "atol": 1e-5}
SHARED = {
    "embed_tokens.weight": "embedding.weight",
    "lm_head.weight": "head.weight",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "mlp_norm",
    "self_attn.q_a_proj": "attention.query_latent",
    "self_attn.q_a_layernorm": "attention.query_norm",
    "self_attn.q_b_proj": "attention.query",
    "self_attn.kv_a_proj_with_mqa": "attention.key_value_latent",
    "self_attn.kv_a_layernorm": "attention.key_value_norm",
    "self_attn.kv_b_proj": "attention.key_value",
    "self_attn.o_proj": "attention.output",
    "mlp.gate.weight": "mlp.router.weight",
    "mlp.gate.e_score_correction_bias": "mlp.router.bias",
    "mlp.experts.gate_up_proj": "mlp.routed.gate_up",
    "mlp.experts.down_proj": "mlp.routed.down",
    "mlp.shared_experts.": "mlp.shared.",
    "down_proj": "down",
    "model.": "",
}


def test_logits_of_three_prompts() -> None:
    """With the same weights, by name, each prompt on its own."""
    ours = build_deepseek(SMALL, dtype=torch.float32)
    ours.layers[1].mlp.router.bias.uniform_(-0.3, 0.3)
    theirs = peer(ours)
    lengths = (21, 1, 18)
    tokens = torch.arange(sum(lengths)) * 7 % SMALL.vocab_size
    with torch.no_grad():
        expected = [theirs(prompt[None]).logits[0, -1] for prompt in tokens.split(lengths)]
    got = ours(tokens, build_prompt_batch(lengths))
    torch.testing.assert_close(got, torch.stack(expected), **CLOSE)


def peer(ours: DeepseekModel) -> DeepseekV3ForCausalLM:
    """The model of transformers with the weights of `ours`, none left out."""
    theirs = DeepseekV3ForCausalLM(configuration()).eval()
    weights = ours.state_dict()
    theirs.load_state_dict({name: named(weights, name) for name in theirs.state_dict()})
    return theirs


def named(weights: dict[str, torch.Tensor], name: str) -> torch.Tensor:
    """What transformers calls `name`; gate and up stand in one matrix here."""
    for old, new in SHARED.items():
        name = name.replace(old, new)
    for half, part in enumerate(("gate_proj", "up_proj")):
        if part in name:
            return weights[name.replace(part, "gate_up")].chunk(2)[half]
    return weights[name]


def configuration() -> DeepseekV3Config:
    """`SMALL` in the words of transformers."""
    attention, experts, rotary = SMALL.attention, SMALL.experts, SMALL.rotary
    return DeepseekV3Config(
        vocab_size=SMALL.vocab_size,
        hidden_size=SMALL.hidden_size,
        num_hidden_layers=SMALL.num_layers,
        first_k_dense_replace=SMALL.num_dense_layers,
        intermediate_size=SMALL.dense_size,
        num_attention_heads=attention.num_heads,
        num_key_value_heads=attention.num_heads,
        q_lora_rank=attention.query_rank,
        kv_lora_rank=attention.key_value_rank,
        qk_nope_head_dim=attention.plain_head_dim,
        qk_rope_head_dim=attention.rotary_head_dim,
        v_head_dim=attention.value_head_dim,
        n_routed_experts=experts.num_experts,
        moe_intermediate_size=experts.inner_size,
        num_experts_per_tok=experts.per_token,
        n_group=experts.num_groups,
        topk_group=experts.groups_per_token,
        n_shared_experts=experts.num_shared,
        routed_scaling_factor=experts.scaling,
        rope_scaling={
            "rope_type": "yarn",
            "rope_theta": rotary.base,
            "factor": rotary.factor,
            "original_max_position_embeddings": rotary.original_context,
            "beta_fast": rotary.fast_turns,
            "beta_slow": rotary.slow_turns,
            "mscale": rotary.score_factor,
            "mscale_all_dim": rotary.score_factor,
        },
    )
