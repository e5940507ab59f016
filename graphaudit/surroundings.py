"""What is asked of the surroundings of a scan, as words, made into settings for the children."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from graphaudit.errors import SettingError
from graphaudit.model import Packages, Setting
from graphaudit.platforms.names import DEVICES, SIMULATED, absent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ALL: Final = "all"
AUTO: Final = "auto"
_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def settings(platforms: Sequence[str], packages: Packages) -> tuple[Setting, ...]:
    """Give a setting for each platform, in the order of the names; one where none is named.

    Args:
        platforms: `cuda`, `cuda:B200`, or `all`. A platform lacks the packages of other vendors,
            but for those that `packages` has a stand-in for.
        packages: What was asked of the packages.

    Raises:
        SettingError: A platform, or a device, is none that can be simulated, or two devices are
            named of one platform.
    """
    if not platforms:
        return (Setting(packages=packages),)
    return tuple(
        Setting(platform=platform, device=device, packages=_of_vendor(platform, packages))
        for platform, device in _devices(platforms).items()
    )


def packages(without: Iterable[str], broken: Iterable[str], stub: Iterable[str]) -> Packages:
    """Give what was asked of the packages, each name once.

    Raises:
        SettingError: A name is no module's, or two things are asked of one package.
    """
    asked = {"without": without, "broken": broken, "stub": stub}
    given = {option: tuple(dict.fromkeys(names)) for option, names in asked.items()}
    auto = AUTO in given["stub"]
    given["stub"] = tuple(name for name in given["stub"] if name != AUTO)
    seen: dict[str, str] = {}
    for option, names in given.items():
        for name in names:
            if not _MODULE.fullmatch(name):
                raise SettingError(f"--{option} {name!r}: no name of a module, such as torchada")
            if name in seen:
                raise SettingError(
                    f"{name} cannot be both --{seen[name]} and --{option}: leave one out"
                )
            seen[name] = option
    return Packages(**given, auto=auto)


def _devices(platforms: Sequence[str]) -> dict[str, str]:
    """Give each platform that is named, and its device: "" where none is named."""
    devices: dict[str, str] = {}
    for text in (name for one in platforms for name in (SIMULATED if one == ALL else [one])):
        platform, device = _platform(text)
        other = devices.get(platform, "")
        if device and other and device != other:
            raise SettingError(
                f"{platform} cannot be both {other} and {device}: an entry has one outcome on a "
                "platform, so trace it once for each device"
            )
        devices[platform] = device or other
    return devices


def _platform(text: str) -> tuple[str, str]:
    name, colon, device = text.partition(":")
    if name not in SIMULATED:
        raise SettingError(f"no platform {name!r}{_near(name, SIMULATED)}; or {ALL}")
    if colon and device not in DEVICES[name]:
        raise SettingError(f"{name} has no device {device!r}{_near(device, DEVICES[name])}")
    return name, device


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f": did you mean {near[0]}?" if near else ":"
    return f"{hint} known are {', '.join(known)}" if known else f"{hint} it has none to choose from"


def _of_vendor(platform: str, packages: Packages) -> Packages:
    asked = {*packages.broken, *packages.stub}
    lacking = (name for name in absent(platform) if name not in asked)
    return replace(packages, without=tuple(dict.fromkeys((*packages.without, *lacking))))
