"""What is patched in Dynamo, and that all of it is put back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
import torch
from torch._dynamo import convert_frame, exc
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

from graphaudit._dynamo.see_through import patches
from graphaudit._dynamo.see_through.below import Watcher
from graphaudit._dynamo.see_through.record import Record
from graphaudit._dynamo.see_through.tracer import Tracer

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight


def dynamo() -> list[Any]:
    """Give everything in Dynamo that a trace touches, by identity and content."""
    classes: list[Any] = [InstructionTranslatorBase]
    for cls in classes:
        classes.extend(cls.__subclasses__())
    kept: list[Any] = [
        convert_frame.compile_frame,
        exc.format_graph_break_message,
        torch.compiler._is_compiling_flag,
        torch._dynamo.eval_frame._stance,
    ]
    for cls in classes:
        names = ("call_function", "should_compile_partial_graph", "dispatch_table")
        kept += [vars(cls).get(name) for name in names]
        kept += [list(vars(cls)["dispatch_table"])]
    return kept


def test_this_torch_has_all_points() -> None:
    """None is missing or takes other arguments."""
    assert patches.losses() == ()


def test_a_missing_point_is_named(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """No trace is tried, and none passes for complete."""
    with patch.object(convert_frame, "compile_frame", lambda frame: frame):
        sight = see(torch.sin, ones)

    assert sight.sites == ()
    assert sight.stopped_at is not None
    assert "convert_frame.compile_frame takes other arguments" in sight.stopped_at.why


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_put_back_after_an_exception(error: type[BaseException]) -> None:
    """Whatever leaves the block."""
    before, record = dynamo(), Record(fullgraph=False)
    tracer = Tracer(record, Watcher(record), fullgraph=False)

    def leave() -> None:
        with patches.installed(tracer, record):
            assert dynamo() != before
            raise error

    with pytest.raises(error):
        leave()

    assert dynamo() == before


def test_put_back_after_a_trace(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """One that ends early by an exception of the user's."""

    def fails(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        raise LookupError(x.shape)

    before = dynamo()
    see(fails, ones)

    assert dynamo() == before
