"""A comparison as JSON, schema 1: the contract that other tools read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.store import encode_comparison

if TYPE_CHECKING:
    from graphaudit.model import Comparison


def render(comparison: Comparison, *, width: int = 100, color: bool = False) -> str:  # noqa: ARG001 - for people only
    """Render a comparison as JSON."""
    return encode_comparison(comparison).decode()
