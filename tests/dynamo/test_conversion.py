"""A factory that converts its module, on fake tensors: as on real ones."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from graphaudit._dynamo.machine import placed, prepared

if TYPE_CHECKING:
    from collections.abc import Callable

CONVERSIONS = {
    "to where it is": lambda module: module.to("cpu"),
    "cpu": lambda module: module.cpu(),
    "half": lambda module: module.half(),
    "bfloat16": lambda module: module.to(torch.bfloat16),
    "there and back": lambda module: module.double().float(),
    "frozen": lambda module: module.requires_grad_(False).half(),
}
MODULES = {
    "linear": lambda: nn.Linear(4, 4),
    "norm": lambda: nn.LayerNorm(4),
    "embedding": lambda: nn.Embedding(4, 4),
    "block": lambda: nn.TransformerEncoderLayer(4, 2, 8),
    "tied": lambda: tied(nn.Linear(4, 4, bias=False)),
}


def tied(layer: nn.Linear) -> nn.Module:
    """Give a model of two layers that share their weight."""
    model = nn.Sequential(layer, nn.Linear(4, 4, bias=False))
    model[1].weight = layer.weight
    return model


def converted(make: Callable[[], nn.Module]) -> nn.Module:
    """Do what a factory does, in a fake mode that has met no operator yet."""
    FakeTensorMode.cache_clear()
    with prepared(fake=True):
        module: nn.Module = placed(make)()
    return module


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=CONVERSIONS)
@pytest.mark.parametrize("make", MODULES.values(), ids=MODULES)
def test_a_module_of_fake_tensors_is_converted_as_a_real_one(
    make: Callable[[], nn.Module], convert: Callable[[nn.Module], nn.Module]
) -> None:
    """Each parameter has the dtype that the real one has, and is fake still."""
    fake, real = converted(lambda: convert(make())), convert(make())

    assert all(isinstance(one, FakeTensor) for one in fake.parameters())
    assert [(name, one.dtype, one.requires_grad) for name, one in fake.named_parameters()] == [
        (name, one.dtype, one.requires_grad) for name, one in real.named_parameters()
    ]


def test_what_the_target_itself_refers_to_weakly_is_refused_as_torch_does() -> None:
    """With torch's own words."""

    def make() -> nn.Module:
        layer = nn.Linear(4, 4)
        layer.seen = weakref.ref(layer.weight)
        return layer.half()

    with pytest.raises(RuntimeError, match=r"Couldn.t swap Linear\.weight"):
        converted(make)


def test_what_is_traced_meets_torchs_own_function() -> None:
    """Ours is there while a factory runs, and no longer."""
    swap = torch.utils.swap_tensors
    seen = []
    with prepared(fake=True):
        placed(lambda: seen.append(torch.utils.swap_tensors))()
        assert torch.utils.swap_tensors is swap

    assert seen != [swap]
