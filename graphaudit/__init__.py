"""graphaudit: where torch.compile breaks, why, and who can mend it."""

from __future__ import annotations

__version__ = "0.1.0"
