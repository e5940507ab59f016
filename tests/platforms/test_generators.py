"""Generators of random numbers on a simulated device, and memory that is pinned for it."""

from __future__ import annotations

from typing import Final

import pytest

from tests.platforms.in_process import answers, run

DEVICE_TYPES: Final = {"cuda": "cuda", "hip": "cuda", "musa": "musa", "npu": "npu"}
_GENERATORS: Final = """
import copy
import pickle
from torch._subclasses.fake_tensor import FakeTensorMode

Generator = torch.Generator
made = Generator(device)
ask("device", lambda: str(made.device))
ask("by keyword", lambda: str(Generator(device=device.type).device))
ask("by index", lambda: str(Generator(0).device))
ask("indexed", lambda: str(Generator(f"{device.type}:0").device))
ask("processor", lambda: [str(Generator().device), str(Generator("cpu").device)])
ask("type", lambda: type(made) is torch._C.Generator is Generator)
ask("seed", lambda: [made.initial_seed(), made.manual_seed(3).initial_seed()])
ask("state", lambda: made.set_state(made.get_state()).initial_seed())
ask("same state", lambda: torch.equal(made.get_state(), Generator().manual_seed(3).get_state()))
ask("copied", lambda: str(copy.deepcopy(made).device))
ask("pickled", lambda: str(pickle.loads(pickle.dumps(made)).device))
ask("subclass", lambda: str(type("Sub", (Generator,), {})().device))
ask("too many", Generator, 1, 2)
ask("misspelt", Generator, devices="cpu")
ask("no device", Generator, "frobnicator")
ask("on the processor", torch.rand, 2, device="cpu", generator=made)
with FakeTensorMode():
    ask("fake", lambda: str(torch.rand(2, device=device, generator=made).device))
"""


@pytest.mark.parametrize("platform", DEVICE_TYPES)
def test_a_generator_is_on_the_device(platform: str) -> None:
    """`torch.Generator` is still the class that Dynamo knows; what is wrong is told by torch."""
    found = answers(platform, _GENERATORS)
    kind = DEVICE_TYPES[platform]
    assert found.pop("too many").startswith("TypeError: Generator() takes from 0 to 1 positional")
    assert found.pop("misspelt").startswith("TypeError: Generator() got an unexpected keyword")
    assert found.pop("no device").startswith("RuntimeError: Expected one of cpu, cuda,")
    assert found.pop("on the processor") == (
        f"RuntimeError: Expected a 'cpu' device type for generator but found '{kind}'"
    )
    assert found == {
        **dict.fromkeys(("device", "by keyword", "copied", "pickled"), kind),
        **dict.fromkeys(("indexed", "by index", "fake"), f"{kind}:0"),
        "processor": ["cpu", "cpu"],
        "subclass": "cpu",
        "type": True,
        "same state": True,
        "seed": [67280421310721, 3],
        "state": 3,
    }


_BREAKS: Final = """
import warnings
from torch._dynamo.utils import counters
from torch._subclasses.fake_tensor import FakeTensorMode

warnings.simplefilter("ignore")

def drawn(x):
    return x + torch.rand(2, device=x.device, generator=torch.Generator(x.device))

with FakeTensorMode(allow_non_fake_inputs=True):
    x = torch.ones(2, device=device)
    ask("drawn", lambda: str(torch.compile(drawn, backend="eager")(x).device))
ask("breaks", lambda: sum(counters["graph_break"].values()))
"""


@pytest.mark.parametrize("platform", ["cuda", "npu"])
def test_a_generator_in_compiled_code_breaks_and_goes_on(platform: str) -> None:
    """At its construction and where it is passed, as on an H200."""
    assert answers(platform, _BREAKS) == {"drawn": f"{DEVICE_TYPES[platform]}:0", "breaks": 2}


def test_without_a_compiler_a_vendors_device_has_no_generators(tmp_path: object) -> None:
    """And everything else."""
    program = """
import torch
from graphaudit.platforms.simulate import simulate
print(simulate("npu").device_type, torch.npu.device_count())
try:
    torch.Generator("npu")
except NotImplementedError as error:
    print(error)
"""
    said = run(program, CXX="no-such-compiler", XDG_CACHE_HOME=str(tmp_path)).stdout
    assert said.startswith("npu 1\nYou should register `PrivateUse1HooksInterface`")


_PINNED: Final = """
import warnings
from torch._subclasses.fake_tensor import FakeTensorMode

warnings.simplefilter("ignore")

def pinned(x):
    return x.cpu().pin_memory()

ask("real", lambda: torch.ones(2).pin_memory().sum().item())
with FakeTensorMode(allow_non_fake_inputs=True):
    x = torch.ones(2, device=device)
    ask("fake", lambda: str(pinned(x).device))
    ask("made so", lambda: str(torch.ones(2, pin_memory=True).device))
    ask("of the outside", lambda: str(real.pin_memory().device))
    ask("compiled", lambda: torch.compile(pinned, backend="eager")(x))
"""


@pytest.mark.parametrize("platform", DEVICE_TYPES)
def test_memory_can_be_pinned(platform: str) -> None:
    """Real and fake; in compiled code torch refuses, as it does on an H200."""
    found = answers(platform, "real = torch.ones(2)\n" + _PINNED)
    assert found.pop("compiled").startswith("TorchRuntimeError: RuntimeError when making fake")
    assert found == {"real": 2.0, **dict.fromkeys(("fake", "made so", "of the outside"), "cpu")}
