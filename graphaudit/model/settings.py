"""What is asked of a run: how far to look, on which platform, with which packages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Gate = Literal["fullgraph", "default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How far a scan goes beyond what stock Dynamo shows."""

    see_through: bool = True  # look for what a break hides
    confirm: bool = True  # prove what only see-through saw
    coverage: bool = True  # count operators in graphs and outside


DEEPEST: Final = Depth()


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """Which packages a child finds, where that is not what is installed. Dotted module names."""

    without: tuple[str, ...] = ()  # as if not installed
    broken: tuple[str, ...] = ()  # installed, and fails at import
    stub: tuple[str, ...] = ()  # a stand-in where the real one cannot be imported
    auto: bool = False  # a stand-in for whatever keeps a file from being imported


AS_INSTALLED: Final = Packages()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The surroundings of a child."""

    platform: str = ""  # to simulate; the machine's own where none is named
    device: str = ""  # of the platform's devices: "H100"; its first where none is named
    packages: Packages = AS_INSTALLED
