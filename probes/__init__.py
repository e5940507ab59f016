"""Questions about the platform: `eager` as engines ask them, `safe` for code that is traced."""

from __future__ import annotations
