"""Reporters: one file a format, each `render(report) -> str`, pure. A report is never changed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from graphaudit.reporters._visible import visible

if TYPE_CHECKING:
    from graphaudit.model import Report

__all__ = ["NAMES", "render", "render_news", "summary", "visible"]

NAMES: Final = ("table", "json")


def render(name: str, report: Report, *, width: int = 100, color: bool = False) -> str:
    """Render `report` as `name`; the module is imported only when it is asked for.

    `width` in columns and `color` are for people: formats for machines have neither.
    """
    text: str = import_module(f"{__name__}.{name}").render(report, width=width, color=color)
    return text


def render_news(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Render what a gate is about: what is new, stale or untraced, and the summary."""
    text: str = import_module(f"{__name__}.table").render_news(report, width=width, color=color)
    return text


def summary(report: Report) -> str:
    """Say what `report` holds in one line."""
    text: str = import_module(f"{__name__}._summary").summary(report)
    return text
