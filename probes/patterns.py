"""Ways in which engines ask about their surroundings, and what Dynamo makes of each.

`probes/compare.py` holds each against the same question asked once, when this module is imported;
`graphaudit compare probes/` shows which of them break a graph, and which a compiled function
answers from what was the case when it was traced.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

VERBOSE = False


def torchada_is_installed() -> bool:
    """A search that imports nothing: traced, and its answer baked in without a guard."""
    return importlib.util.find_spec("torchada") is not None


def torchada_is_imported() -> bool:
    """A look at `sys.modules`, which is guarded."""
    return "torchada" in sys.modules


def wants_cpu_engine() -> bool:
    """An environment variable: its value is baked in without a guard."""
    return os.environ.get("USE_CPU_ENGINE", "0") == "1"


def is_rocm_build() -> bool:
    """The value of an attribute, which is guarded."""
    return torch.version.hip is not None


def has_npu() -> bool:
    """An attribute that may appear: that it is not there is baked in without a guard."""
    return hasattr(torch, "npu")


def imports_torchada() -> bool:
    """An import: where it fails, Dynamo's own error takes the place of ImportError."""
    try:
        import torchada
    except ImportError:
        return False
    return True


def is_musa_by_version() -> bool:
    """The version first: the import is reached where torch was built for MUSA, and only there."""
    if getattr(torch.version, "musa", None) is None:
        return False
    return imports_torchada()


def _has_capability(major: int) -> bool:
    return torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == major


# Dynamo cannot look through a cache whose function is no plain function.
is_blackwell = lru_cache(maxsize=1)(partial(_has_capability, major=10))


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def assumes_torchada() -> bool:
    """The import again, run for real while Dynamo traces: no break, and no guard."""
    return imports_torchada()


def is_verbose() -> bool:
    """A constant of this module, which is guarded."""
    return VERBOSE


@lru_cache(maxsize=1)
def is_verbose_cached() -> bool:
    """The same behind a cache: Dynamo looks through it, so only compiled code follows."""
    return VERBOSE


def asked_now(probe: Callable[[], bool]) -> Callable[[], bool]:
    """Ask `probe` now, and give a function that knows the answer."""
    answer = probe()

    def answered() -> bool:
        return answer

    return answered
