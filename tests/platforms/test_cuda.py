"""A simulated CUDA device, asked in all the ways that programs ask."""

from __future__ import annotations

from typing import Any

import pytest

from tests.platforms.in_process import answers

_QUERIES = """
for name in ("is_available", "device_count", "current_device", "get_device_name",
             "get_device_capability", "mem_get_info", "memory_allocated", "memory_reserved",
             "max_memory_allocated", "is_current_stream_capturing", "is_bf16_supported",
             "is_initialized", "synchronize", "empty_cache"):
    ask(name, getattr(torch.cuda, name))
ask("current_stream", torch.cuda.current_stream)
ask("stats", lambda: torch.cuda.memory_stats()["allocated_bytes.all.current"])
ask("second device", torch.cuda.set_device, 1)
ask("snapshot", torch.cuda.memory_snapshot)
ask("graph", torch.cuda.CUDAGraph)
ask("uuid", lambda: torch.cuda.get_device_properties().uuid)
ask("runtime", lambda: torch.cuda.cudart().cudaProfilerStart())
properties = torch.cuda.get_device_properties(0)
for name in ("multi_processor_count", "warp_size", "shared_memory_per_block_optin",
             "L2_cache_size"):
    ask(name, getattr, properties, name)
ask("accelerator", torch.accelerator.current_accelerator)
ask("accelerator count", torch.accelerator.device_count)
ask("accelerator index", torch.accelerator.current_device_index)
ask("accelerator stream", lambda: torch.accelerator.current_stream().stream_id)
ask("module", lambda: torch.get_device_module("cuda").__name__)
ask("version", lambda: [torch.version.cuda is not None, torch.version.hip])
ask("built", torch.backends.cuda.is_built)

def streams():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        inside = torch.cuda.current_stream() == stream
    event = torch.cuda.Event(enable_timing=True)
    event.record(stream)
    stream.wait_event(event)
    stream.wait_stream(torch.cuda.current_stream())
    event.synchronize()
    return [inside, event.query(), isinstance(stream, torch.Stream),
            torch.cuda.current_stream().cuda_stream]

ask("streams", streams)
ask("elapsed", lambda: torch.cuda.Event(enable_timing=True).elapsed_time(torch.cuda.Event()))
ask("real memory", torch.empty, 2, device="cuda")
ask("capture into nothing", lambda: torch.cuda.graph(None).__enter__())
"""

H100 = {
    "is_available": True,
    "device_count": 1,
    "current_device": 0,
    "get_device_name": "NVIDIA H100 80GB HBM3",
    "get_device_capability": [9, 0],
    "mem_get_info": [80 * 2**30, 80 * 2**30],
    "memory_allocated": 0,
    "memory_reserved": 0,
    "max_memory_allocated": 0,
    "is_current_stream_capturing": False,
    "is_bf16_supported": True,
    "is_initialized": True,
    "synchronize": None,
    "empty_cache": None,
    "current_stream": "<torch.cuda.Stream device=cuda:0 cuda_stream=0x0>",
    "stats": 0,
    "second device": (
        "AcceleratorError: CUDA error: invalid device ordinal "
        "(1; there is one cuda NVIDIA H100 80GB HBM3)"
    ),
    "snapshot": (
        "NotSimulated: not simulated: torch._C._cuda_memorySnapshot on cuda NVIDIA H100 80GB HBM3"
    ),
    "graph": "NotSimulated: not simulated: torch.cuda.CUDAGraph on cuda NVIDIA H100 80GB HBM3",
    "capture into nothing": "AttributeError: 'NoneType' object has no attribute 'capture_begin'",
    "uuid": (
        "NotSimulated: not simulated: get_device_properties().uuid on cuda NVIDIA H100 80GB HBM3"
    ),
    "runtime": (
        "NotSimulated: not simulated: torch.cuda.cudart().cudaProfilerStart "
        "on cuda NVIDIA H100 80GB HBM3"
    ),
    "multi_processor_count": 132,
    "warp_size": 32,
    "shared_memory_per_block_optin": 232_448,
    "L2_cache_size": 50 * 2**20,
    "accelerator": "cuda",
    "accelerator count": 1,
    "accelerator index": 0,
    "accelerator stream": 0,
    "module": "torch.cuda",
    "version": [True, None],
    "built": True,
    "streams": [True, True, True, 0],
    "elapsed": "NotSimulated: not simulated: torch.cuda.Event.elapsed_time on a simulated device",
}


@pytest.fixture(scope="module")
def h100() -> dict[str, Any]:
    """Ask an H100 everything."""
    return answers("cuda", _QUERIES)


@pytest.mark.parametrize("query", H100)
def test_the_first_device_answers(h100: dict[str, Any], query: str) -> None:
    """As a card does on which nothing runs, or by name that it has no answer."""
    assert h100[query] == H100[query]


def test_memory_cannot_be_had(h100: dict[str, Any]) -> None:
    """A tensor outside of fake mode is an error of torch's, no crash."""
    assert h100["real memory"].startswith("NotImplementedError: Could not run 'aten::empty")


_FAKE = """
from torch._subclasses.fake_tensor import FakeTensorMode

with torch.device(device), FakeTensorMode(allow_non_fake_inputs=True):
    x = torch.randn(4, 8)
    attention = torch.nn.functional.scaled_dot_product_attention
    compiled = torch.compile(lambda y: y.relu() + 1, backend="eager", fullgraph=True)
    made = {
        "random": lambda: x,
        "data": lambda: torch.tensor([1, 2]),
        "linear": lambda: torch.nn.Linear(8, 8)(x),
        "slice": lambda: x[1:3],
        "index": lambda: x[torch.arange(2)],
        "moved": lambda: x.cpu().to(device),
        "attention": lambda: attention(*[x.view(1, 2, 2, 8)] * 3),
        "embedding": lambda: torch.nn.Embedding(3, 4)(torch.arange(2)),
    }
    for name, make in made.items():
        ask(name, lambda: make().device)
    ask("to cpu", lambda: x.cpu().device)
    x[0] = 1
    ask("compiled", lambda: compiled(x).device)
"""
_DEVICES = {"cuda": "cuda:0", "hip": "cuda:0", "musa": "musa:0", "npu": "npu:0", "cpu": "cpu"}


@pytest.mark.parametrize("platform", _DEVICES)
def test_fake_tensors_live_on_the_device(platform: str) -> None:
    """Whatever makes them: random numbers, data, modules, indices, copies, a compiled function."""
    found = answers(platform, _FAKE)
    assert found.pop("to cpu") == "cpu"
    assert set(found.values()) == {_DEVICES[platform]}
    assert len(found) == 9


_DYNAMO = """
import warnings
from torch._subclasses.fake_tensor import FakeTensorMode
warnings.simplefilter("ignore")

def capturing(x):
    return x + 1 if torch.cuda.is_current_stream_capturing() else x

def capability(x):
    return x.half() if torch.cuda.get_device_capability() >= (8, 9) else x

def name(x):
    return x * (2 if "H" in torch.cuda.get_device_name() else 3)

def properties(x):
    return x * torch.cuda.get_device_properties(0).multi_processor_count

def synchronize(x):
    y = x.sin()
    torch.cuda.synchronize()
    return y.cos()

def stream(x):
    with torch.cuda.stream(torch.cuda.Stream()):
        return x + 1

def count(x):
    return x * torch.cuda.device_count()

def available(x):
    return x * 2 if torch.cuda.is_available() else x

with torch.device("cuda"), FakeTensorMode(allow_non_fake_inputs=True):
    for function in (
        capturing, capability, name, properties, synchronize, stream, count, available
    ):
        torch._dynamo.reset()
        compiled = torch.compile(function, backend="eager", fullgraph=True)
        ask(function.__name__, lambda: str(compiled(torch.randn(2)).dtype))
"""


def test_dynamo_takes_the_answers_for_torchs_own() -> None:
    """A query that Dynamo folds is folded, and one whose answer is no tensor breaks.

    `python -m tests.platforms.against_a_device` compares these and more with a real H200.
    """
    found = answers("cuda", _DYNAMO)
    broken = {name for name, answer in found.items() if answer.startswith("Unsupported")}
    assert broken == {"capturing", "name", "count"}
    assert {name: answer for name, answer in found.items() if name not in broken} == {
        "capability": "torch.float16",
        "properties": "torch.float32",
        "synchronize": "torch.float32",
        "stream": "torch.float32",
        "available": "torch.float32",
    }
