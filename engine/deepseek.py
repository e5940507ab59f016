"""Which models have DeepSeek's sparse attention, told from their Hugging Face configuration."""

from __future__ import annotations

from itertools import product

_DSA_FAMILIES = (
    "DeepseekV3",
    "DeepseekV32",
    "Dots3Note",
    "Glm5Next",
    "GlmMoeDsa",
    "HYV4",
    "LongcatFlash",
    "MistralLarge3",
)
# NextN: the draft model for speculative decoding has its own architecture name.
_DSA_ARCHITECTURES = frozenset(
    f"{family}ForCausalLM{draft}" for family, draft in product(_DSA_FAMILIES, ("", "NextN"))
) | {"PixtralForConditionalGeneration"}
_V4_ARCHITECTURES = frozenset(f"DeepseekV4ForCausalLM{draft}" for draft in ("", "NextN", "DSpark"))


def is_deepseek_dsa(hf_config: object) -> bool:
    """Whether the model selects keys with a DSA indexer: a known architecture with `index_topk`.

    Args:
        hf_config: a dict or an object; what it lacks counts as not there.
    """
    known = _architecture(hf_config) in _DSA_ARCHITECTURES
    return known and _field(hf_config, "index_topk") is not None


def is_deepseek_v4(hf_config: object) -> bool:
    """Whether the model is a DeepSeek V4.

    Args:
        hf_config: a dict or an object; what it lacks counts as not there.
    """
    return _architecture(hf_config) in _V4_ARCHITECTURES


def _architecture(hf_config: object) -> str | None:
    """The first architecture that the configuration names."""
    names = _field(hf_config, "architectures")
    return names[0] if isinstance(names, list | tuple) and names else None


def _field(hf_config: object, name: str) -> object:
    """One field of a dict or an object, None if it is missing."""
    if isinstance(hf_config, dict):
        return hf_config.get(name)
    return getattr(hf_config, name, None)
