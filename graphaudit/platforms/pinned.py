"""Memory that is pinned for a simulated device: as good as any, for nothing is copied from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_impls import op_implementations_dict

from graphaudit.platforms.answers import unseen

if TYPE_CHECKING:
    from torch._subclasses.fake_tensor import FakeTensorMode

_PIN = torch.ops.aten._pin_memory.default
_library: Any = torch.library.Library("aten", "IMPL", "CPU")  # type: ignore[no-untyped-call]


def answer() -> None:
    """Let tensors be pinned, real ones and fake ones.

    Not so in the tensors that Dynamo traces with: there torch refuses on a real device as well,
    and a compiled function that pins fails.
    """
    refuse = op_implementations_dict[_PIN]

    def pin(mode: FakeTensorMode, function: Any, *args: Any, **kwargs: Any) -> Any:
        if mode.shape_env is not None:  # Dynamo's
            return refuse(mode, function, *args, **kwargs)
        return args[0].clone()

    op_implementations_dict[_PIN] = unseen(pin)
    _library.impl("_pin_memory", unseen(lambda tensor, _device=None: tensor.clone()))
