"""Versions, and the conditions on them that an expectation may bear: `torch>=2.14, python<3.13`.

A condition compares as many numbers as it names: `torch==2.14` holds for 2.14.1. `cuda` is what
the wheel of torch was built for, whatever the machine has; 0 without it.
"""

from __future__ import annotations

import operator
import platform
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# what an expectation without a condition was observed on
REFERENCE: Final = {"python": "3.11.7", "torch": "2.13.0", "cuda": "0"}
_CONDITION: Final = re.compile(
    r"(?P<what>torch|python|cuda)(?P<compare>[<>=]=|<|>)(?P<than>\d+(\.\d+)*)"
)
_WRITTEN: Final = re.compile(r"^(?P<name>__version__|cuda)\b.*= '(?P<value>[^']+)'$", re.MULTILINE)
_COMPARE: Final[dict[str, Callable[[object, object], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}  # type: ignore[assignment]


def here() -> dict[str, str]:
    """Give the versions of this interpreter, without importing torch.

    Raises:
        RuntimeError: It has no torch.
    """
    found = find_spec("torch")
    if found is None or found.origin is None:
        raise RuntimeError("this interpreter has no torch")
    text = Path(found.origin).with_name("version.py").read_text()
    written = {one["name"]: one["value"] for one in _WRITTEN.finditer(text)}
    return {
        "python": platform.python_version(),
        "torch": written["__version__"],
        "cuda": written.get("cuda", "0"),
    }


def holds(condition: str, versions: Mapping[str, str]) -> bool:
    """Tell whether all parts of a condition hold.

    Args:
        condition: Comparisons, a comma between them.
        versions: What to compare, by name.

    Raises:
        ValueError: It cannot be read.
    """
    parts = [_holds(part.strip(), versions) for part in condition.split(",")]
    return all(parts)


def release(text: str) -> tuple[int, ...]:
    """Give the numbers that a version starts with."""
    leading = re.match(r"\d+(\.\d+)*", text)
    return tuple(map(int, leading[0].split("."))) if leading else ()


def _holds(part: str, versions: Mapping[str, str]) -> bool:
    found = _CONDITION.fullmatch(part)
    if found is None:
        raise ValueError(f"{part!r} is no condition on a version: write it as torch>=2.14")
    than = release(found["than"])
    return _COMPARE[found["compare"]](release(versions[found["what"]])[: len(than)], than)
