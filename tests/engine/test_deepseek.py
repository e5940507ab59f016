"""Which configurations have sparse attention."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from engine.deepseek import is_deepseek_dsa, is_deepseek_v4


@pytest.mark.parametrize(
    ("hf_config", "dsa", "v4"),
    [
        ({"architectures": ["DeepseekV32ForCausalLM"], "index_topk": 2048}, True, False),
        ({"architectures": ["GlmMoeDsaForCausalLMNextN"], "index_topk": 1}, True, False),
        ({"architectures": ["PixtralForConditionalGeneration"], "index_topk": 1}, True, False),
        ({"architectures": ["DeepseekV3ForCausalLM"], "index_topk": None}, False, False),
        ({"architectures": ["DeepseekV3ForCausalLM"]}, False, False),
        ({"architectures": ["LlamaForCausalLM"], "index_topk": 2048}, False, False),
        ({"architectures": ["LlamaForCausalLM", "DeepseekV4ForCausalLM"]}, False, False),
        ({"architectures": ["DeepseekV4ForCausalLM"]}, False, True),
        ({"architectures": ["DeepseekV4ForCausalLMDSpark"], "index_topk": 512}, False, True),
        ({"architectures": []}, False, False),
        ({"architectures": None, "index_topk": 2048}, False, False),
        ({}, False, False),
    ],
)
@pytest.mark.parametrize("form", [dict, lambda fields: SimpleNamespace(**fields)])
def test_architectures(form: type, hf_config: dict[str, object], *, dsa: bool, v4: bool) -> None:
    """A dict and an object say the same; what is missing says no."""
    config = form(hf_config)
    assert is_deepseek_dsa(config) is dsa
    assert is_deepseek_v4(config) is v4
