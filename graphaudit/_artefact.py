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
_VENDORS: Final = ("musa", "npu")  # those whose device is its vendor's matter

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
    r"|Cannot access accelerator device when none is available"
    r"|pin_memory=True requires a CUDA or other accelerator backend"
    r"|Cannot get CUDA generator without ATen_cuda library"
    r"|NVTX functions not installed"
    r")[^\n]*"
)
# what torch says where a vendor's package brings more of a device than the stand-in
_NO_VENDOR: Final = re.compile(
    r"[^\n]*(?:"
    r"You should register `PrivateUse1HooksInterface`"
    r"|Backend doesn't support elapsedTime"
    r"|No interface for device (?:musa|npu)"
    r")[^\n]*"
)
# a vendor's module lacks an attribute; Dynamo raises in its place what has no words
_LACKING: Final = re.compile(r"not simulated: torch\.\w+\.\w+ on ")
_WORDLESS: Final = "raised exception AttributeError()"


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
    if simulated in _VENDORS:
        patterns.append(_NO_VENDOR)
    for text in texts:
        for pattern in patterns:
            if found := pattern.search(text):
                return found[0].strip()
    return ""


def restates(texts: Iterable[str], why: str) -> bool:
    """Tell whether an event is what Dynamo made of an exception that our stand-in raised.

    Args:
        texts: Messages and explanations of the event.
        why: The line that says what the audit made fail in the same trace; "" where nothing did.
    """
    return bool(_LACKING.search(why)) and any(_WORDLESS in text for text in texts)
