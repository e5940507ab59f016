"""What a fake tensor cannot give to a factory: it has a shape and a device, and no values."""

from __future__ import annotations

import os
import traceback
from pathlib import Path
from typing import Final

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)

_ERRORS: Final = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
# what torch has no class for: an operator without a rule, `.numpy()`, a number as text
_WORDS: Final = ("NYI: aten.", "is not supported for tensor subclasses", "FakeTensor.__format__")
_OURS: Final = tuple(f"{Path(one).parent}{os.sep}" for one in (torch.__file__, __file__))


def lacking(error: BaseException) -> str:
    """Say in one line what a fake tensor could not give; "" where an error is about something else.

    The words begin as those of all that only the simulation makes fail.
    """
    told = str(error).partition("\n")[0]
    if not isinstance(error, _ERRORS) and not any(word in told for word in _WORDS):
        return ""
    return (
        f"not simulated: {told}{_asked_at(error)}; tensors have shapes and no values on a device "
        "that is not there: make what depends on a value of plain numbers"
    )


def _asked_at(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    asking = [one for one in frames if not one.filename.startswith(_OURS)]
    return f" at {asking[-1].filename}:{asking[-1].lineno}" if asking else ""
