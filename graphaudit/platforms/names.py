"""The platforms and devices that can be simulated, and the packages that their vendors bring."""

from __future__ import annotations

from typing import Final

SIMULATED: Final = ("cpu", "cuda", "hip", "musa", "npu")

# the first is meant where none is named
DEVICES: Final[dict[str, tuple[str, ...]]] = {
    "cpu": (),
    "cuda": ("H100", "H200", "B200"),
    "hip": ("MI300X",),
    "musa": ("S4000",),
    "npu": ("910B",),
}
_VENDORS: Final = {"musa": "torchada", "npu": "torch_npu"}


def vendor_packages(platform: str) -> tuple[str, ...]:
    """Give the packages that a platform's own vendor brings."""
    return (_VENDORS[platform],) if platform in _VENDORS else ()


def autoloaded_packages(platform: str) -> tuple[str, ...]:
    """Give the vendor's packages that torch imports by itself."""
    return ("torch_npu",) if platform == "npu" else ()


def absent(platform: str) -> tuple[str, ...]:
    """Give the vendors' packages that a platform is without: those of the other vendors."""
    return tuple(package for vendor, package in _VENDORS.items() if vendor != platform)
