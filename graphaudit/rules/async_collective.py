"""Recognised by Dynamo's types for collectives that return a handle, or a handle's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import class_called, is_type, root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA061"


def async_collective(found: Break) -> bool:
    """A collective that does not wait.

    Why: `async_op=True`, `isend` and `irecv` return a handle to wait on; the graph has no such
        object.

    Fix: Leave out `async_op=True`: the collective becomes a node of the graph, and waiting is left
        to the compiler. Keep point-to-point transfers outside the compiled function.

    Bad (not run):
        import torch.distributed as dist

        def f(x):
            work = dist.all_reduce(x, async_op=True)
            work.wait()
            return x

    Good (not run):
        import torch.distributed as dist

        def f(x):
            dist.all_reduce(x)
            return x

    Dynamo:
        GB0172 async_op=True for distributed collectives
        GB2696 P2P compilation disabled for isend/irecv
        GB9300 P2P compilation disabled for batch_isend_irecv
        GB1750 P2P compilation disabled for P2POp construction
        GB9860 P2POp mutation
        GB3343 Cannot reconstruct P2POpVariable
        GB0156 Unsupported method call
    """
    return (
        is_type(
            found,
            "async_op=True for distributed collectives",
            "P2POp mutation",
            "Cannot reconstruct P2POpVariable",
        )
        or root(found).gb_type.startswith("P2P compilation disabled")
        or class_called(found) in {"Work", "torch._C._distributed_c10d.Work"}
    )
