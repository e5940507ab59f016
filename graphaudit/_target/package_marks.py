"""Where a stub stands: what it is called by, and what is said when it is called."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

# loops such as `while hasattr(f, "inner"): f = f.inner` must come to an end
_DEEPEST: Final = 8


@dataclass(frozen=True)
class Mark:
    """Where a stub stands: the package it is of, its expression, attributes since a call."""

    package: str
    path: str
    depth: int = 0

    def attribute(self, name: str) -> Mark:
        """Give the place of an attribute."""
        return replace(self, path=f"{self.path}.{name}", depth=self.depth + 1)

    def result(self, arguments: str = "...") -> Mark:
        """Give the place of what a call would give."""
        return replace(self, path=f"{self.path}({arguments})", depth=0)

    def item(self, key: object) -> Mark:
        """Give the place of what stands under a key."""
        text = repr(key) if isinstance(key, str | int) else "..."
        return replace(self, path=f"{self.path}[{text}]")

    def is_deepest(self) -> bool:
        """Tell whether nothing is to be found below."""
        return self.depth >= _DEEPEST

    def told(self) -> str:
        """Say that it was called, and what to do."""
        return (
            f"the stub of {self.package} was called: {self.path}(...). Only the real "
            f"{self.package} knows what it gives: keep the call out of the entry, register it as "
            "an operator with a fake (torch.library), or scan where "
            f"{self.package} can be imported"
        )
