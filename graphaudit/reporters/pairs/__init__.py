"""Comparisons of pairs: one file a format, each `render(comparison) -> str`, as for reports."""

from __future__ import annotations
