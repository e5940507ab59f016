"""Sizes of a DeepSeek-V3 decoder; the defaults are those of the published model.

Source: config.json of deepseek-ai/DeepSeek-V3, and the technical report (2024), section 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentAttentionShape:
    """Multi-head latent attention: queries and keys come out of narrow latent vectors.

    Attributes:
        query_rank: size of the latent vector of a query.
        key_value_rank: size of the latent vector that keys and values share.
        plain_head_dim: the part of a head of q and k without a position.
        rotary_head_dim: the part with one, behind the plain part; all heads share it in k.
        value_head_dim: size of a head of v.

    Raises:
        ValueError: a rotary part that cannot be rotated.
    """

    num_heads: int = 128
    query_rank: int = 1536
    key_value_rank: int = 512
    plain_head_dim: int = 128
    rotary_head_dim: int = 64
    value_head_dim: int = 128

    def __post_init__(self) -> None:
        if self.rotary_head_dim % 2:
            raise ValueError(
                f"rotary_head_dim is {self.rotary_head_dim}; rotary positions need an even one"
            )

    @property
    def head_dim(self) -> int:
        """Size of a head of q and k."""
        return self.plain_head_dim + self.rotary_head_dim


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpertShape:
    """The mixture of experts of one layer.

    Attributes:
        inner_size: gated units of one expert, routed or shared.
        per_token: routed experts that see a token.
        num_groups: the routed experts stand in this many groups of equal size.
        groups_per_token: the groups from which a token may choose.
        num_shared: experts that see every token.
        scaling: factor on the weights of the routed experts.

    Raises:
        ValueError: groups that differ in size, hold fewer than the two experts that score them, or
            leave a token too few experts.
    """

    num_experts: int = 256
    inner_size: int = 2048
    per_token: int = 8
    num_groups: int = 8
    groups_per_token: int = 4
    num_shared: int = 1
    scaling: float = 2.5

    def __post_init__(self) -> None:
        if self.num_experts % self.num_groups or self.group_size < 2:
            raise ValueError(
                f"{self.num_experts} experts cannot stand in {self.num_groups} groups; "
                "groups have one size, of 2 or more"
            )
        if not 1 <= self.groups_per_token <= self.num_groups:
            raise ValueError(
                f"a token cannot choose from {self.groups_per_token} of {self.num_groups} groups"
            )
        if not 1 <= self.per_token <= self.groups_per_token * self.group_size:
            raise ValueError(
                f"{self.groups_per_token} groups of {self.group_size} experts cannot give "
                f"{self.per_token} experts"
            )

    @property
    def group_size(self) -> int:
        """Routed experts in a group."""
        return self.num_experts // self.num_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class YarnScaling:
    """YaRN (Peng et al., 2023): rotary positions stretched over a longer context.

    Attributes:
        base: the wavelength of the slowest pair, in tokens, over 2 pi, before the stretch.
        factor: how many times longer the context became.
        original_context: tokens of a sequence before that.
        fast_turns: a pair that turns more often within the original context stays as it is.
        slow_turns: one that turns less often is stretched by the whole factor.
        score_factor: `mscale_all_dim` of the configuration, m in `(0.1 m ln(factor) + 1) ** 2`, the
            factor on the attention's scores. Its `mscale` is the same, so cosines and sines, which
            are scaled by the ratio of the two, stay as they are.
    """

    base: float = 10_000.0
    factor: float = 40.0
    original_context: int = 4096
    fast_turns: float = 32.0
    slow_turns: float = 1.0
    score_factor: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepseekShape:
    """A decoder whose first layers are dense and whose others are mixtures of experts.

    Attributes:
        dense_size: gated units of the MLP of a dense layer.
        num_dense_layers: so many layers at the start are dense.
    """

    vocab_size: int = 129_280
    hidden_size: int = 7168
    num_layers: int = 61
    num_dense_layers: int = 3
    dense_size: int = 18_432
    attention: LatentAttentionShape = field(default_factory=LatentAttentionShape)
    experts: ExpertShape = field(default_factory=ExpertShape)
    rotary: YarnScaling = field(default_factory=YarnScaling)
