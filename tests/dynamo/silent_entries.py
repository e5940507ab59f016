"""Functions whose loss no break shows, and look-alikes that lose nothing. One factory for each.

A factory that gives two inputs changes something in between, as a program does that goes on.
"""

from __future__ import annotations

import collections
import functools
import os
import random
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Input = tuple[Callable[..., Any], tuple[torch.Tensor, ...]]

STATE = {"n": 0}
SEEN: dict[str, float] = {}
GENERATOR = random.Random(0)  # noqa: S311 - a test of it
NAME = "SILENT_SCALE"


def ones() -> tuple[torch.Tensor]:
    """Give the arguments of a call."""
    return (torch.ones(3),)


def reads_environment(x: torch.Tensor) -> torch.Tensor:
    """Read a variable through the standard library."""
    return x * int(os.getenv(NAME, "2"))


def environment() -> Input:
    """Stale: `os.getenv` is guarded by nothing."""
    os.environ[NAME] = "3"
    return reads_environment, ones()


def missing_environment() -> Input:
    """Stale: that a variable is not set is guarded by nothing."""
    os.environ.pop(NAME, None)
    return lambda x: x * len(os.environ.get(NAME, "ab")), ones()


def guarded_environment() -> Iterator[Input]:
    """No loss: what `os.environ` holds is guarded."""

    def call(x: torch.Tensor) -> torch.Tensor:
        return x * int(os.environ[NAME])

    os.environ[NAME] = "3"
    yield call, ones()
    os.environ[NAME] = "4"
    yield call, ones()


def generator() -> Input:
    """Stale: a generator of one's own starts from its state in the trace."""
    return lambda x: x * GENERATOR.random(), ones()


def seeded_generator() -> Input:
    """No loss: the same numbers are drawn in eager as well."""

    def call(x: torch.Tensor) -> torch.Tensor:
        GENERATOR.seed(3)
        return x * GENERATOR.random()

    return call, ones()


@functools.cache
def counted() -> float:
    """Count the calls of the body."""
    STATE["n"] = STATE["n"] + 1
    return 2.0


def cached() -> Input:
    """Lost: each compiled call does the body again."""
    return lambda x: x * counted(), ones()


@functools.lru_cache
def halved(n: int) -> float:
    """Do nothing but compute."""
    return n / 2


def pure_cached() -> Input:
    """No loss: to ask the cache or to do it again gives the same."""
    return lambda x: x * halved(x.shape[0]), ones()


@functools.cache
def noise() -> torch.Tensor:
    """Draw once."""
    return torch.rand(3)


def cached_noise() -> Input:
    """Stale: eager keeps the first draw, compiled code draws at each call."""
    return lambda x: x * noise(), ones()


def grab(_module: nn.Module, _args: Any, out: torch.Tensor) -> None:
    """Keep an activation, but not while compiling."""
    if torch.compiler.is_compiling():
        return
    SEEN["h"] = float(out.sum())


def hook() -> Input:
    """Lost: the hook's work."""
    SEEN.clear()
    module = nn.Sequential(nn.Identity())
    module[0].register_forward_hook(grab)
    return module, ones()


def asks_for_nothing(x: torch.Tensor) -> torch.Tensor:
    """Go another way to the same result."""
    if torch.compiler.is_compiling():
        return x + x
    return x * 2


def same_either_way() -> Input:
    """No loss: the other way gives the same."""
    return asks_for_nothing, ones()


def asks_twice(x: torch.Tensor) -> torch.Tensor:
    """Ask twice; only one answer matters."""
    x = x + x if torch.compiler.is_compiling() else x * 2
    return x if torch.compiler.is_dynamo_compiling() else x + 1


def one_of_two() -> Input:
    """Stale: another result at the second question, none at the first."""
    return asks_twice, ones()


@torch._dynamo.assume_constant_result
def constant() -> int:
    """Give another number at each call."""
    STATE["n"] += 1
    return STATE["n"]


def assumed() -> Input:
    """Lost: the function is called in the trace alone."""
    return lambda x: x * constant(), ones()


@torch.compiler.allow_in_graph
def opaque(x: torch.Tensor) -> torch.Tensor:
    """Count calls behind Dynamo's back."""
    STATE["n"] += 1
    return x * 2


def in_graph() -> Input:
    """Lost: the trace calls it as well."""
    return lambda x: opaque(x) + 1, ones()


@torch.compiler.assume_constant_result
def limit() -> int:
    """Give the same number at each call."""
    return 3


@torch.compiler.assume_constant_result
def weights() -> torch.Tensor:
    """Give a tensor, of which Dynamo makes a constant of the graph."""
    return torch.arange(3.0)


def constant_that_is_one() -> Input:
    """No loss: what is assumed is true. What Dynamo keeps in this module is no state of it."""
    return lambda x: x * limit() + limit() + weights(), ones()


@torch.compiler.allow_in_graph
def twice(x: torch.Tensor) -> torch.Tensor:
    """Change nothing but a tensor that it is given."""
    return x.mul_(2)


@torch.compiler.allow_in_graph
def noisy(x: torch.Tensor) -> torch.Tensor:
    """Draw from both generators."""
    return x + torch.rand(3) + random.random()  # noqa: S311 - a test of it


def harmless_in_graph() -> Input:
    """No loss: the trace calls it with other tensors, and puts the generators back."""
    return lambda x: noisy(twice(x)), ones()


def later(call: Callable[[nn.Module, torch.Tensor], torch.Tensor]) -> Iterator[Input]:
    """Stale by a hook that is registered after the trace, beside what loses nothing."""
    module = nn.Sequential(nn.Sigmoid())

    def forward(x: torch.Tensor) -> torch.Tensor:
        return call(module, x)

    yield forward, ones()
    module[0].register_forward_hook(lambda _m, _a, out: out * 2)
    yield forward, ones()


def changed_environment() -> Iterator[Input]:
    """Stale: the variable has another value in the later calls."""
    os.environ[NAME] = "3"
    yield reads_environment, ones()
    os.environ[NAME] = "4"
    yield reads_environment, ones()


def generator_again() -> Iterator[Input]:
    """Stale: each call draws what the first one drew."""
    call, arguments = generator()
    yield call, arguments
    yield call, arguments


def prints(x: torch.Tensor) -> torch.Tensor:
    """Print what is overwritten afterwards."""
    y = x + 1
    print("y", y)  # noqa: T201 - a test of it
    y.add_(1)
    return y


def printing() -> Input:
    """Lost where Dynamo may ignore or move it, a break elsewhere."""
    return prints, ones()


def hook_later() -> Iterator[Input]:
    """Stale: a hook that is registered after the trace is not called."""
    module = nn.Sequential(nn.Sigmoid())
    yield module, ones()
    module[0].register_forward_hook(lambda _m, _a, out: out * 2)
    yield module, ones()


class Scaled:
    """Has a method that is replaced."""

    def scale(self) -> int:
        """Give a number."""
        return 2


def method_later() -> Iterator[Input]:
    """Stale: a method that is replaced after the trace goes on as it was."""
    scaled = type("Own", (Scaled,), {})()

    def call(x: torch.Tensor) -> torch.Tensor:
        return x * scaled.scale()

    yield call, ones()
    type(scaled).scale = lambda _self: 3
    yield call, ones()


def order() -> Iterator[Input]:
    """Lost: Dynamo forgets `move_to_end`."""
    held = collections.OrderedDict(a=1, b=2)

    def call(x: torch.Tensor) -> torch.Tensor:
        held.move_to_end("a")
        return x + 1

    yield call, ones()
    yield call, ones()


def random_inputs() -> Iterator[Input]:
    """No loss: other random numbers than in eager, but as random."""

    def call(x: torch.Tensor) -> torch.Tensor:
        return x + torch.from_numpy(np.random.uniform(size=3)) + torch.rand(3)

    yield call, (torch.rand(3),)
    yield call, (torch.rand(3),)


class Counter(nn.Module):
    """Counts its calls."""

    def __init__(self) -> None:
        """Start at nothing."""
        super().__init__()
        self.calls = 0
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Count."""
        self.calls += 1
        self.total = self.total + x
        return x * self.calls


def counter() -> Iterator[Input]:
    """No loss: state of a module is guarded, and written back."""
    module = Counter()
    yield module, ones()
    yield module, ones()


def global_counter() -> Iterator[Input]:
    """No loss, though no two runs start from the same number by themselves."""

    def call(x: torch.Tensor) -> torch.Tensor:
        STATE["n"] += 1
        return x * STATE["n"]

    yield call, ones()
    yield call, ones()


def trained() -> Iterator[Input]:
    """No loss: a training step with dropout."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)

    def step(x: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = module(x).sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    yield step, ones()
    yield step, ones()


def recursion_limit() -> Iterator[Input]:
    """Stale: Dynamo folds the limit into a constant."""

    def call(x: torch.Tensor) -> torch.Tensor:
        return x * sys.getrecursionlimit()

    yield call, ones()
    sys.setrecursionlimit(sys.getrecursionlimit() + 7)
    yield call, ones()
