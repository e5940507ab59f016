"""Recognised by torch.distributed in the module or the library frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphaudit.rules._cause import in_library, in_source, is_type, root, skipped_name, skips_from

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA062"

_NAMES: Final = (
    "broadcast",
    "barrier",
    "new_group",
    "new_subgroups",
    "reduce(",
    "gather(",
    "scatter(",
)


def distributed_call(found: Break) -> bool:
    """A call into torch.distributed that is not captured.

    Why: `all_reduce`, `all_gather`, `reduce_scatter_tensor` and `all_to_all_single` become nodes
        of the graph; `broadcast`, `barrier`, `send`, `new_group` and the object forms do not.

    Fix: Make groups, exchange objects and synchronize before the compiled call; replace the call
        by a collective that is captured.

    Bad (not run):
        import torch.distributed as dist

        def f(x):
            dist.barrier()
            return x + 1

    Good (not run):
        import torch.distributed as dist

        def f(x):
            dist.all_reduce(x)
            return x + 1

    Dynamo:
        GB0007 Attempted to call function marked as skipped
        GB0210 torch.distributed package is not available!
    """
    return (
        skips_from(found, "torch.distributed", "torch._C._distributed_c10d")
        or is_type(found, "torch.distributed package is not available!")
        or (in_library(found, "torch/distributed/") and root(found).gb is not None)
        # The options of a collective are made in a polyfill, which hides the file that makes them.
        or (skipped_name(found).startswith("pybind11_object") and in_source(found, *_NAMES))
    )
