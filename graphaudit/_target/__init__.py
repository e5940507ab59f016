"""The target's side of a trace: its files, its entry points, its source lines. Knows no torch."""

from __future__ import annotations
