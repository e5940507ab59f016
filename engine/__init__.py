"""A small real inference engine: the paths of a prefill that have to survive `torch.compile`."""

from __future__ import annotations
