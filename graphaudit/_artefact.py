"""Which errors the audit's own surroundings cause: they are no fault of the program's.

A simulated device has no memory and no driver, and a stand-in for a package does no work. Pure:
texts in, a sentence out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_CUDAS: Final = ("cuda", "hip")  # platforms whose device torch calls cuda

# what our own stand-ins say
_OURS: Final = re.compile(r"(?:not simulated|the stub of \S+ was called): [^\n]+")
# what torch says where there is no memory behind a fake tensor
_NO_MEMORY: Final = re.compile(
    r"[^\n]*Could not run '[^']+' with arguments from the '\w+' backend[^\n]*"
)
# what torch says where there is no driver; on another vendor's machine it is the program's fault
_NO_DRIVER: Final = re.compile(
    r"[^\n]*(?:"
    r"Torch not compiled with CUDA enabled"
    r"|PyTorch is not linked with support for \w+ devices"
    r"|Found no NVIDIA driver"
    r"|CUDA driver (?:version is insufficient|initialization failed)"
    r"|no CUDA-capable device is detected"
    r"|No (?:CUDA|HIP) GPUs are available"
    r"|0 active drivers \(\[\]\)"
    r")[^\n]*"
    # what follows is advice to whoever links programs
    r"|[^\n]*Cannot get CUDA generator without ATen_cuda library"
)
# the question that our own stand-ins have no answer to
_QUESTION: Final = re.compile(r"not simulated: [\w.]*?(\w+) on ")


def unanswered(why: str) -> str:
    """Give the attribute that a stand-in was asked for and does not have; "" for other words."""
    asked = _QUESTION.search(why)
    return asked[1] if asked else ""


def artefact(texts: Iterable[str], *, simulated: str) -> str:
    """Give the line that says what the audit itself made fail; "" where nothing does.

    Args:
        texts: Messages and explanations of one failure.
        simulated: The platform, where it is; "" for a machine as it is, on which only our own
            stand-ins fail for our sake.
    """
    patterns = [_OURS]
    if simulated:
        patterns.append(_NO_MEMORY)
    if simulated in _CUDAS:
        patterns.append(_NO_DRIVER)
    for text in texts:
        for pattern in patterns:
            if found := pattern.search(text):
                return found[0].strip()
    return ""
