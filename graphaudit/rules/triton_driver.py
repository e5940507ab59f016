"""Recognised by the module of the skipped function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import in_library, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA059"


def triton_driver(found: Break) -> bool:
    """Triton's runtime is asked inside compiled code.

    Why: `{callee}` belongs to the part of Triton that runs on the host (driver, compiler,
        autotuner), which Dynamo does not trace.

    Fix: Ask at import and keep the answer in a constant, or put kernel choice and launch into a
        custom operator (`torch.library.custom_op`).

    Bad:
        import triton

        def f(x):
            target = triton.runtime.driver.active.get_current_target()
            return x * (target.backend == "cuda")

    Good:
        import torch

        ON_CUDA = torch.version.cuda is not None and torch.cuda.is_available()

        def f(x):
            return x * ON_CUDA

    Dynamo:
        GB0007 Attempted to call function marked as skipped

    Notes: `triton.cdiv` and `triton.next_power_of_2` are plain Python and are traced.
    """
    return skips_from(found, "triton") or in_library(found, "/triton/runtime/", "/triton/backends/")
