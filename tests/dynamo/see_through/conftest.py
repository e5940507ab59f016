"""See-through traces in tests: what a call shows, as source lines."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import torch

from graphaudit._dynamo.see_through.record import preferred
from graphaudit._dynamo.see_through.tracing import see_through

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphaudit._dynamo.see_through.sight import Sight


@pytest.fixture
def ones() -> torch.Tensor:
    """Three ones."""
    return torch.ones(3)


@pytest.fixture
def see() -> Callable[..., Sight]:
    """Trace a call; `fullgraph` and `options` as the door takes them."""
    return _see


@pytest.fixture
def sites() -> Callable[..., list[str]]:
    """Trace a call that can be traced to its end; the lines, each once, in order."""
    return _sites


def _see(
    call: Any,
    *args: Any,
    kwargs: dict[str, Any] | None = None,
    fullgraph: bool = False,
    options: dict[str, Any] | None = None,
) -> Sight:
    with _quiet():
        return see_through(call, args, kwargs or {}, fullgraph=fullgraph, options=options or {})


def _sites(call: Any, *args: Any, **how: Any) -> list[str]:
    sight = _see(call, *args, **how)
    assert sight.stopped_at is None
    assert sight.errors == ()
    places = [preferred(site.stack) for site in sight.sites]
    return list({(place.path, place.line): place.source for place in places}.values())


@contextmanager
def _quiet() -> Iterator[None]:
    # Dynamo warns of what it breaks on, once in a process
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
