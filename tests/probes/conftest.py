"""Every test compiles from nothing."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(autouse=True)
def _nothing_compiled() -> None:
    """Forget what earlier tests compiled, so that each traces anew."""
    torch.compiler.reset()
