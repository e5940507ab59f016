"""Reporters: one file a format, each `render(report) -> str`, pure. A report is never changed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from graphaudit.model import Comparison
from graphaudit.reporters._visible import visible

if TYPE_CHECKING:
    from graphaudit.model import Report

__all__ = ["NAMES", "render", "render_news", "summary", "visible"]

NAMES: Final = ("table", "json")


def render(name: str, found: Report | Comparison, *, width: int = 100, color: bool = False) -> str:
    """Render `found` as `name`; the module is imported only when it is asked for.

    `width` in columns and `color` are for people: formats for machines have neither.
    """
    module = import_module(f"{__name__}.{_of(found)}{name}")
    text: str = module.render(found, width=width, color=color)
    return text


def render_news(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Render what a gate is about: what is new, stale or untraced, and the summary."""
    text: str = import_module(f"{__name__}.table").render_news(report, width=width, color=color)
    return text


def summary(found: Report | Comparison) -> str:
    """Say what `found` holds in one line."""
    module = "pairs.table" if isinstance(found, Comparison) else "_summary"
    text: str = import_module(f"{__name__}.{module}").summary(found)
    return text


def _of(found: Report | Comparison) -> str:
    """Give what the modules that render it are called by."""
    return "pairs." if isinstance(found, Comparison) else ""
