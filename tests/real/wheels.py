"""Wheels from the package index, unpacked beside this checkout and not installed."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[2] / ".real"
_TIME_S: Final = 300.0


class OfflineError(Exception):
    """The package index cannot be reached, or has no such wheel."""


def unpacked(requirement: str) -> Path:
    """Give the `site-packages` folder that holds one wheel, fetched the first time.

    Args:
        requirement: `sglang==0.5.22`.

    Raises:
        OfflineError: It cannot be fetched; the text is pip's last line.
    """
    folder = FOLDER / requirement.replace("==", "-")
    site = folder / "site-packages"
    if not site.exists():
        wheel = _fetched(requirement, folder)
        made = folder / "unpacked"
        zipfile.ZipFile(wheel).extractall(made)
        made.rename(site)
    return site


def _fetched(requirement: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
    try:
        done = subprocess.run(
            [*command, str(folder), requirement],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIME_S,
        )
    except subprocess.TimeoutExpired as error:
        raise OfflineError(f"{requirement} was not fetched within {_TIME_S:g} s") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise OfflineError(f"{requirement} cannot be fetched: {last}")
    return next(folder.glob("*.whl"))
