"""Frames of installed packages: those that Dynamo would compile count, and where they fail."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import exc

from graphaudit._dynamo.see_through.record import preferred
from graphaudit._target.belongs import is_targets

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphaudit._dynamo.see_through.sight import Sight

LIBRARY = """
import time
import torch

@torch.compiler.disable
def opaque(x):
    return x

@torch.compiler.disable
def kernel(x):
    return x + 1

def with_tensor(x):
    time.sleep(0)
    return x + 1

def without(number):
    time.monotonic()
    return number + 1

def says(what):
    print(what)

def feeds(made):
    made.update(b"more")

def holds_what_a_step_made(x):
    made = opaque(x) + opaque(x)
    return with_tensor(x) + made
"""


@torch.compiler.disable(recursive=False)
def apart(function: Callable[[Any], Any], value: Any) -> Any:
    """Call a function below a real step."""
    return function(value)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Give a module that lies where packages are installed."""
    path = tmp_path / "site-packages" / "installed.py"
    path.parent.mkdir()
    path.write_text(LIBRARY)
    spec = importlib.util.spec_from_file_location("installed", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "installed", module)
    spec.loader.exec_module(module)
    return module


def test_below_a_step(see: Callable[..., Sight], ones: torch.Tensor, library: Any) -> None:
    """A frame with tensors is one of Dynamo's own; without, Dynamo leaves it to Python."""

    def calls(x: torch.Tensor) -> torch.Tensor:
        return apart(library.with_tensor, x) * apart(library.without, 1)

    sight = see(calls, ones)

    assert sight.stopped_at is None
    assert [preferred(site.stack).source for site in sight.sites if site.below] == ["time.sleep(0)"]


def test_whose_line(library: Any) -> None:
    """The user's, else the package's rather than torch's."""
    path = library.__file__

    assert not is_targets(path)
    assert not is_targets(torch.__file__)
    assert is_targets(__file__)


def test_secondary_needs_an_object_of_the_same_frame(
    see: Callable[..., Sight], ones: torch.Tensor, library: Any
) -> None:
    """A package's break is no consequence because its caller holds something made by a step."""
    *_, last = see(library.holds_what_a_step_made, ones).sites

    assert preferred(last.stack).source == "time.sleep(0)"
    assert not last.secondary


def test_a_tensor_is_no_object_of_a_step(
    see: Callable[..., Sight], ones: torch.Tensor, library: Any
) -> None:
    """A mended step gives a tensor as well, and the package breaks on."""

    def calls(x: torch.Tensor) -> torch.Tensor:
        made = library.with_tensor(library.kernel(x))
        return made * 2

    *_, last = see(calls, ones).sites

    assert last.stack[-1].source == "time.sleep(0)"
    assert not last.secondary


def test_an_object_of_a_step_is(
    see: Callable[..., Sight], ones: torch.Tensor, library: Any
) -> None:
    """What a package does with it is gone with the step."""

    def calls(x: torch.Tensor) -> torch.Tensor:
        library.feeds(hashlib.md5(b"key"))  # noqa: S324
        return x + 1

    *_, last = see(calls, ones).sites

    assert last.stack[-1].source == 'made.update(b"more")'
    assert last.secondary


def test_one_occurrence_without_an_object_is_enough(
    see: Callable[..., Sight], ones: torch.Tensor, library: Any
) -> None:
    """The line breaks without the step as well."""

    def calls(x: torch.Tensor) -> torch.Tensor:
        for what in (hashlib.md5(b"key"), x):  # noqa: S324
            library.says(what)
        return x + 1

    _, says = see(calls, ones).sites

    assert says.stack[-1].source == "print(what)"
    assert not says.secondary


def test_exception_that_only_a_trace_meets(see: Callable[..., Sight], ones: torch.Tensor) -> None:
    """It is at the place that stock Dynamo says, where a handler raised it again."""

    def raises(x: torch.Tensor) -> torch.Tensor:
        try:
            if torch.compiler.is_compiling():
                raise TypeError
        finally:
            x = x + 1
        return x

    def calls(x: torch.Tensor) -> torch.Tensor:
        return raises(x) * 2

    sight = see(calls, ones)
    with pytest.raises(exc.Unsupported) as stock:
        torch.compile(calls, backend="eager", fullgraph=True)(ones)

    assert [preferred(site.stack).line for site in sight.sites] == [
        stock.value.real_stack[-1].lineno
    ]
