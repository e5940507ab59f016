"""JSON, schema 1: the contract that other tools read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.store import encode_report

if TYPE_CHECKING:
    from graphaudit.model import Report


def render(report: Report, *, width: int = 100, color: bool = False) -> str:  # noqa: ARG001 - for people only
    """Render `report` as JSON that `graphaudit gate` and `graphaudit report` read back."""
    return encode_report(report).decode()
