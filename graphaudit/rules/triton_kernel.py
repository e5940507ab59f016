"""Recognised by Triton in Dynamo's types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import root

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA060"


def triton_kernel(found: Break) -> bool:
    """A Triton kernel is used in a way that torch.compile does not capture.

    Why: A kernel launch is captured as a node of the graph; some features (hooks, allocators, some
        autotune options, TMA descriptors of other pointers) are not.

    Fix: Wrap the launch in a custom operator (`torch.library.custom_op` with `register_fake`): the
        graph then holds one node and the launch runs as it is.

    Bad (not run):
        import triton

        def f(x):
            triton.set_allocator(lambda size, alignment, stream: None)
            return x + 1

    Good (not run):
        import triton

        triton.set_allocator(lambda size, alignment, stream: None)

        def f(x):
            return x + 1

    Dynamo:
        GB0361 triton kernel unsupported feature
        GB4026 triton.set_allocator not supported
        GB3326 invalid ptr argument for create_tma_descriptor
        GB0216 unsupported grid type for triton hop check_grid
        GB6735 torch.library.wrap_triton call with > 1 args
    """
    return any(word in root(found).gb_type for word in ("triton", "tma_descriptor"))
