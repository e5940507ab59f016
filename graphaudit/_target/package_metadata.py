"""What `importlib.metadata` is told: it must agree with what can be imported."""

from __future__ import annotations

import re
from importlib.metadata import Distribution
from pathlib import Path
from typing import TYPE_CHECKING, Final

from graphaudit._target.package_rules import Rules, Treatment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

_CODE: Final = (".py", ".pyd", ".so")


class SimulatedDistribution(Distribution):
    """A distribution that is on no disk: its name is that of its module."""

    def __init__(self, module: str, version: str) -> None:
        """Give a top-level module a version."""
        self._module = module
        self._texts = {
            "METADATA": f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n",
            "top_level.txt": f"{module}\n",
        }

    def read_text(self, filename: str) -> str | None:
        """Give one of its two texts."""
        return self._texts.get(filename)

    def locate_file(self, path: str | PathLike[str]) -> Path:
        """Give a path where nothing is."""
        return Path(f"<{self._module}>", path)


def normalized(name: str) -> str:
    """Spell a distribution's name as the package index does (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_gone(distribution: Distribution, rules: Rules) -> bool:
    """Tell whether a distribution is away with the modules that are.

    It is if it bears the name of one, or if all modules that it brings are away: `flash-attn-4`
    goes with `flash_attn`, but `torch` stays without its `functorch`.
    """
    if not rules.without:
        return False
    name = normalized(distribution.metadata["Name"] or "")
    if name in {normalized(one) for one in rules.without}:
        return True
    brought = set(_modules(distribution))
    return bool(brought) and all(rules.treatment(module) is Treatment.WITHOUT for module in brought)


def _modules(distribution: Distribution) -> Iterator[str]:
    """Give the public modules that a distribution brings, by their dotted names."""
    found = False
    for file in distribution.files or ():
        *folders, last = file.parts
        if not last.endswith(_CODE) or any("." in one for one in folders):
            continue
        stem = last.partition(".")[0]
        parts = folders if stem == "__init__" else [*folders, stem]
        if parts and not parts[0].startswith("_"):
            found = True
            yield ".".join(parts)
    if not found:
        yield from (distribution.read_text("top_level.txt") or "").split()
