"""Recognised by what torch says of an operator without a fake (meta) implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphaudit.rules._cause import is_type, says

if TYPE_CHECKING:
    from graphaudit.model import Break

ID = "GA076"


def missing_fake_kernel(found: Break) -> bool:
    """An operator has no fake implementation.

    Why: While tracing, operators run on tensors without data. A custom operator has to say what
        shape and dtype it returns; this one does not.

    Fix: Register it where the operator is defined: `@torch.library.register_fake("ns::op")`,
        returning `torch.empty_like(x)` or `x.new_empty(shape)`. For a compiled extension do the
        same from Python.

    Bad:
        import torch

        @torch.library.custom_op("manual::no_fake", mutates_args=())
        def no_fake(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        def f(x):
            return no_fake(x)

    Good:
        import torch

        @torch.library.custom_op("manual::with_fake", mutates_args=())
        def with_fake(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @with_fake.register_fake
        def _(x):
            return torch.empty_like(x)

        def f(x):
            return with_fake(x)

    Dynamo:
        GB4315 RuntimeError when making fake tensor call
        GB0090 Operator does not support running with fake tensors
        GB0087 NotImplementedError/UnsupportedFakeTensorException when running FX node
        TorchRuntimeError

    Notes: Check the registration with `torch.library.opcheck`.
    """
    return is_type(
        found,
        "Operator does not support running with fake tensors",
        "NotImplementedError/UnsupportedFakeTensorException when running FX node",
    ) or says(found, "no fake impl registered", "register_fake", "UnsupportedOperatorException")
