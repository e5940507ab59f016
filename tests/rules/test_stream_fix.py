"""What helps where something is written to a stream, as stock Dynamo has it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import config, exc

if TYPE_CHECKING:
    from collections.abc import Callable

LINES: list[str] = []


def writes(x: torch.Tensor, stream: Any) -> torch.Tensor:
    """Write."""
    stream.write("step")
    return x + 1


def writes_in_eager(x: torch.Tensor, stream: Any) -> torch.Tensor:
    """Write where nothing is compiled."""
    if not torch.compiler.is_compiling():
        stream.write("step")
    return x + 1


def collects(x: torch.Tensor, _stream: Any) -> torch.Tensor:
    """Leave the text to the caller."""
    LINES.append("step")
    return x + 1


def whole(call: Callable[..., torch.Tensor], stream: Any) -> torch.Tensor:
    """Call in one graph."""
    torch.compiler.reset()
    made: torch.Tensor = torch.compile(call, backend="eager", fullgraph=True)(torch.ones(2), stream)
    return made


def test_what_helps_with_print_does_not_help() -> None:
    """Dynamo reorders functions, not methods of an object."""
    with Path(os.devnull).open("w", encoding="utf-8") as stream:
        for named in ({print}, {stream.write}, {type(stream).write}, {sys.stderr.write}):
            with (
                config.patch(reorderable_logging_functions=named),
                pytest.raises(exc.Unsupported, match="Unsupported method call"),
            ):
                whole(writes, stream)


def test_both_fixes_help() -> None:
    """One writes nothing in a graph, the other hands the text out."""
    LINES.clear()
    with Path(os.devnull).open("w", encoding="utf-8") as stream:
        assert torch.equal(whole(writes_in_eager, stream), torch.full((2,), 2.0))
        assert torch.equal(whole(collects, stream), torch.full((2,), 2.0))
    assert LINES == ["step"]
