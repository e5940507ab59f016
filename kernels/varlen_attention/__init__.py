"""Attention over packed sequences of different lengths: the operator and its public door."""

from __future__ import annotations

from kernels.varlen_attention.ops import AttentionResult, varlen_attention

__all__ = ["AttentionResult", "varlen_attention"]
