"""What the target may replace in torch, as it was before the target was imported."""

from __future__ import annotations

from typing import Final

import torch

COMPILE: Final = torch.compile
