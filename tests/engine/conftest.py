"""Every test compiles from nothing and finds the process as a server leaves it."""

from __future__ import annotations

import pytest
import torch

from engine.audit_inputs import publish_process


@pytest.fixture(autouse=True)
def _fresh_process() -> None:
    """Forget what earlier tests compiled; one rank, a DSA model."""
    torch.compiler.reset()
    publish_process()
