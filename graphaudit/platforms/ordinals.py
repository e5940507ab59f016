"""Which device a program names: there is one, and each other is refused as the runtime does."""

from __future__ import annotations

import torch


def ordinal(device: object, name: str) -> int:
    """Give the number of the device that is named: 0, or -1 for none.

    Args:
        device: A number, a text such as `cuda:0`, a `torch.device`, or None for the current one.
        name: What is simulated, for the message.

    Raises:
        RuntimeError: It is another than the first, in the runtime's words.
    """
    if isinstance(device, str):
        device = torch.device(device)
    index = getattr(device, "index", device)
    number = 0 if index is None else index
    if not isinstance(number, int):
        raise TypeError(f"no device: {device!r}")
    if number > 0:
        runtime = name.partition(" ")[0].upper()
        raise RuntimeError(
            f"{runtime} error: invalid device ordinal ({number}; there is one {name})"
        )
    return 0 if number == 0 else -1
