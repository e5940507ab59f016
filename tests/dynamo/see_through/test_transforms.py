"""Bodies of `torch.func` transforms: steps run for real on the tensors that the body has."""

# ruff: noqa: T201 - what is printed is counted
from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest
import torch

from graphaudit._dynamo.see_through import transforms

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphaudit._dynamo.see_through.sight import Sight

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
func = torch.func


@pytest.fixture
def rows() -> torch.Tensor:
    """Two rows of ones."""
    return torch.ones(2, 3)


@torch.compiler.disable
def halved(v: torch.Tensor) -> torch.Tensor:
    """Compute where no trace can look."""
    return v * 0.5


@torch.compiler.disable
def first(v: torch.Tensor) -> torch.Tensor:
    """Give a view."""
    return v[0]


@torch.compiler.disable
def noisy(v: torch.Tensor) -> torch.Tensor:
    """Ask for what `vmap` refuses."""
    return v + torch.rand(3)


def shows(v: torch.Tensor) -> torch.Tensor:
    """Break on the tensor of the body, then behind it."""
    print(v)
    time.sleep(0)
    return (v * v).sum()


def batched(x: torch.Tensor) -> Any:
    """Map."""
    return func.vmap(shows)(x)


def in_chunks(x: torch.Tensor) -> Any:
    """Map one row after another."""
    return func.vmap(shows, chunk_size=1)(x)


def gradient(x: torch.Tensor) -> Any:
    """Differentiate."""
    return func.grad(shows)(x)


def forward(x: torch.Tensor) -> Any:
    """Differentiate forwards."""
    return func.jvp(shows, (x,), (x,))


def pulled_back(x: torch.Tensor) -> Any:
    """Differentiate, and use the result later."""
    y, pull = func.vjp(shows, x)
    return pull(y)


def reverse_jacobian(x: torch.Tensor) -> Any:
    """Map what differentiates."""
    return func.jacrev(shows)(x)


def forward_jacobian(x: torch.Tensor) -> Any:
    """Map what differentiates forwards."""
    return func.jacfwd(shows)(x)


def hessian(x: torch.Tensor) -> Any:
    """Differentiate twice."""
    return func.hessian(shows)(x)


def nested(x: torch.Tensor) -> Any:
    """Differentiate each row."""
    return func.vmap(func.grad(shows))(x)


@pytest.mark.parametrize(
    "entry",
    [
        batched,
        in_chunks,
        gradient,
        forward,
        pulled_back,
        reverse_jacobian,
        forward_jacobian,
        hessian,
        nested,
    ],
)
def test_effects_and_sites(
    entry: Callable[..., Any],
    rows: torch.Tensor,
    sites: Callable[..., list[str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The trace prints what a plain call prints: the same tensors, as often; it adds no site."""
    entry(rows)
    plain = capsys.readouterr().out

    assert sites(entry, rows) == ["print(v)", "time.sleep(0)"]
    assert "Tensor(lvl=" in plain
    assert capsys.readouterr().out == plain
    assert transforms.depth() == 0
    assert torch.autograd.forward_ad._current_level == -1


def test_values_of_the_body(rows: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """A branch, a number, and what comes of them behind the transform."""

    def body(v: torch.Tensor) -> torch.Tensor:
        if v.sum() > 0:
            v = v * 2
        return (v * v.sum().item()).sum()

    def entry(x: torch.Tensor) -> torch.Tensor:
        if func.grad(body)(x).sum() == 144:
            os.getppid()
        return x

    assert sites(entry, rows) == [
        "if v.sum() > 0:",
        "return (v * v.sum().item()).sum()",
        "if func.grad(body)(x).sum() == 144:",
        "os.getppid()",
    ]


@pytest.mark.parametrize(
    ("transform", "total"),
    [
        (lambda f, x: func.grad(f)(x).sum(), 6),
        (lambda f, x: func.jvp(f, (x,), (x,))[1], 6),
        (lambda f, x: func.hessian(f)(x).sum(), 6),
        (lambda f, x: func.vmap(f)(x).sum(), 3),
        (lambda f, x: func.vmap(func.grad(f))(x).sum(), 6),
    ],
)
def test_derivatives_of_what_a_step_made(
    transform: Callable[..., Any], total: int, rows: torch.Tensor, sites: Callable[..., list[str]]
) -> None:
    """They go through the step, and the tensor is one for Dynamo."""

    def body(v: torch.Tensor) -> torch.Tensor:
        return (halved(v) * v).sum()

    def entry(x: torch.Tensor) -> torch.Tensor:
        if transform(body, x) == total:
            os.getppid()
        return x

    assert transform(body, rows) == total
    assert sites(entry, rows) == [
        "return (halved(v) * v).sum()",
        "if transform(body, x) == total:",
        "os.getppid()",
    ]


def test_a_view_of_the_bodys_tensor(rows: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """Dynamo makes no fake tensor of one, and needs none."""

    def body(v: torch.Tensor) -> torch.Tensor:
        made = first(v).clone()
        made.add_(1)
        return made.sum()

    def entry(x: torch.Tensor) -> torch.Tensor:
        if func.vmap(body)(x).sum() == 4 and func.grad(body)(x).sum() == 3:
            os.getppid()
        return x

    line = "if func.vmap(body)(x).sum() == 4 and func.grad(body)(x).sum() == 3:"
    assert sites(entry, rows) == ["made = first(v).clone()", line, "os.getppid()"]


def test_what_a_transform_refuses(rows: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """The user's handler gets it; the transform has ended."""

    def body(v: torch.Tensor) -> torch.Tensor:
        return noisy(v)

    def entry(x: torch.Tensor) -> torch.Tensor:
        try:
            x = func.vmap(body)(x)
        except RuntimeError:
            os.getppid()
        if func.vmap(torch.sin)(x).sum() > 0:
            os.getpid()
        return x

    assert sites(entry, rows) == [
        "return noisy(v)",
        "os.getppid()",
        "if func.vmap(torch.sin)(x).sum() > 0:",
        "os.getpid()",
    ]


def test_a_weight_that_is_mapped(rows: torch.Tensor, sites: Callable[..., list[str]]) -> None:
    """Its gradient goes through the transform."""
    layer = torch.nn.Linear(3, 1, bias=False)

    def entry(x: torch.Tensor) -> torch.Tensor:
        y = func.vmap(lambda v: layer(v).sum() + len(str(v)) * 0)(x).sum()
        y.backward()
        if layer.weight.grad.sum() == 6:  # type: ignore[union-attr]
            os.getppid()
        return x

    assert sites(entry, rows)[-1] == "os.getppid()"
    assert layer.weight.grad is None


def test_a_body_that_is_given_up(
    rows: torch.Tensor, see: Callable[..., Sight], capsys: pytest.CaptureFixture[str]
) -> None:
    """The transform is called as a whole, the trace goes on behind it and says what it lacks."""

    def body(v: torch.Tensor) -> torch.Tensor:
        print("body")
        made = takes(endless(), v)
        print("behind")
        return made

    def entry(x: torch.Tensor) -> torch.Tensor:
        print("before")
        if func.vmap(body)(x).sum() == 6:
            os.getppid()
        return x

    sight = see(entry, rows)

    said = capsys.readouterr().out.splitlines()
    assert [said.count(word) for word in ("before", "body", "behind")] == [1, 2, 1]
    assert [site.stack[-1].source for site in sight.sites] == [
        'print("before")',
        'print("body")',
        "made = takes(endless(), v)",
        "if func.vmap(body)(x).sum() == 6:",
        "os.getppid()",
    ]
    assert sight.errors == ()
    assert sight.stopped_at is not None


def endless() -> Any:
    """Give more items than are taken ahead of a step."""
    yield from range(1000)


@torch.compiler.disable
def takes(items: Any, v: torch.Tensor) -> torch.Tensor:
    """Take one item."""
    return v * (next(items) + 1)


def test_frames_inside_a_transform(rows: torch.Tensor, see: Callable[..., Sight]) -> None:
    """Dynamo skips them when they run; they are not traced on tensors that are gone."""

    def body(v: torch.Tensor) -> torch.Tensor:
        def key(k: int) -> int:
            time.sleep(0)
            return 0 if v.sin() is None else k

        return v * max([1, 2], key=key)

    sight = see(lambda x: func.vmap(body)(x), rows)

    assert [site.stack[-1].source for site in sight.sites] == ["return v * max([1, 2], key=key)"]
    assert sight.errors == ()
    assert sight.stopped_at is not None
    assert "function transform" in sight.stopped_at.why
