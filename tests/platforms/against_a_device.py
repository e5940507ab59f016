"""Compares a simulated H200 with a real one: what it answers, and what Dynamo makes of each query.

    python -m tests.platforms.against_a_device

Needs an H200. Prints a line for each question; exits 1 if Dynamo's view differs anywhere.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

FIGURES = (
    *("name", "total_memory", "major", "minor", "multi_processor_count", "warp_size"),
    *("max_threads_per_multi_processor", "regs_per_multiprocessor", "shared_memory_per_block"),
    *("shared_memory_per_block_optin", "shared_memory_per_multiprocessor", "L2_cache_size"),
)
QUERIES = (
    *("is_available", "device_count", "current_device", "get_device_name"),
    *("get_device_capability", "is_current_stream_capturing", "is_bf16_supported"),
    *("get_arch_list", "current_stream", "default_stream", "memory_allocated", "is_initialized"),
)


def in_stream(x: torch.Tensor) -> torch.Tensor:
    """Work on another stream, and wait for it."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        y = x + 1
    torch.cuda.current_stream().wait_stream(stream)
    return y


def recorded(x: torch.Tensor) -> torch.Tensor:
    """Record an event and wait for it."""
    event = torch.cuda.Event()
    y = x + 1
    event.record()
    event.synchronize()
    return y


def on_device(x: torch.Tensor) -> torch.Tensor:
    """Select the device."""
    with torch.cuda.device(0):
        return x + 1


def then(query: Callable[[], Any]) -> Callable[[torch.Tensor], torch.Tensor]:
    """Ask, then go on."""

    def asking(x: torch.Tensor) -> torch.Tensor:
        query()
        return x + 1

    return asking


TRACED: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "capturing": lambda x: x + 1 if torch.cuda.is_current_stream_capturing() else x,
    "capability": lambda x: x.half() if torch.cuda.get_device_capability() >= (8, 9) else x,
    "name": lambda x: x * (2 if "H" in torch.cuda.get_device_name() else 3),
    "properties": lambda x: x * torch.cuda.get_device_properties(0).multi_processor_count,
    "count": lambda x: x * torch.cuda.device_count(),
    "available": lambda x: x * 2 if torch.cuda.is_available() else x,
    "initialised": lambda x: x * 2 if torch.cuda.is_initialized() else x,
    "current device": lambda x: x * (torch.cuda.current_device() + 1),
    "allocated": lambda x: x * (torch.cuda.memory_allocated() > 0),
    "memory": lambda x: x * torch.cuda.mem_get_info()[1],
    "bf16": lambda x: x.bfloat16() if torch.cuda.is_bf16_supported() else x,
    "architectures": lambda x: x * len(torch.cuda.get_arch_list()),
    "accelerator": lambda x: x * (torch.accelerator.current_accelerator() is not None),
    "moved": lambda x: x.cpu().cuda() + torch.ones(2, device="cuda"),
    "synchronize": then(lambda: torch.cuda.synchronize()),
    "accelerator synchronize": then(lambda: torch.accelerator.synchronize()),
    "current stream": then(lambda: torch.cuda.current_stream()),
    "empty cache": then(lambda: torch.cuda.empty_cache()),
    "set device": then(lambda: torch.cuda.set_device(0)),
    "stream": in_stream,
    "event": recorded,
    "device": on_device,
}


def main() -> int:
    """Ask both; the exit code."""
    real, simulated = _answers("real"), _answers("simulated")
    differ = 0
    for question, answer in real.items():
        same = simulated[question] == answer
        differ += not same and question.startswith("dynamo")
        other = "" if same else f"  simulated: {simulated[question]}"
        sys.stdout.write(f"{'same' if same else 'DIFFERS':<8} {question}: {answer}{other}\n")
    return 1 if differ else 0


def _answers(how: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.platforms.against_a_device", how]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def ask(*, is_real: bool) -> dict[str, str]:
    """Ask this process everything."""
    warnings.simplefilter("ignore")
    found: dict[str, str] = {}
    properties = torch.cuda.get_device_properties(0)
    for name in FIGURES:
        found[f"figure {name}"] = str(getattr(properties, name))
    for name in QUERIES:
        found[f"query {name}"] = str(getattr(torch.cuda, name)())
    found["query priorities"] = str(torch.cuda.Stream.priority_range())
    found["query accelerator stream"] = str(torch.accelerator.current_stream())
    for name, function in TRACED.items():
        for fullgraph in (True, False):
            found[f"dynamo {name}, fullgraph={fullgraph}"] = _traced(
                function, fullgraph=fullgraph, is_real=is_real
            )
    return found


def _traced(
    function: Callable[[torch.Tensor], torch.Tensor], *, fullgraph: bool, is_real: bool
) -> str:
    from torch._dynamo.utils import counters
    from torch._subclasses.fake_tensor import FakeTensorMode

    torch._dynamo.reset()
    counters.clear()
    mode = contextlib.nullcontext() if is_real else FakeTensorMode(allow_non_fake_inputs=True)
    compiled = torch.compile(function, backend="eager", fullgraph=fullgraph)
    try:
        with mode, torch.device("cuda"):
            dtype = compiled(torch.randn(2)).dtype
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return f"{dtype}, {sum(counters['graph_break'].values())} breaks"


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    if sys.argv[1] == "simulated":
        from graphaudit.platforms.simulate import simulate

        simulate("cuda", "H200")
    sys.stdout.write(json.dumps(ask(is_real=sys.argv[1] == "real")) + "\n")
