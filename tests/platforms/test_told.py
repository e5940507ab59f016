"""What a scan tells of a simulated device: the faults of the program, not of the simulation."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_OURS: Final = "not the fault of your code: the audit cannot go on here: "
# name of an entry -> the body of its function; each takes and gives a tensor
_CALLS: Final = {
    "unknown": "return x * torch.npu.nonsense()",
    "hasattr": "return x * 2 if hasattr(torch.npu, 'nonsense') else x",
    "default": "return x * getattr(torch.npu, 'nonsense', 3)",
    "handled": """\
try:
        return x * torch.npu.nonsense()
    except AttributeError:
        return x""",
    "misspelt": "return x * torch.nonsense()",
    "stream": """\
with torch.npu.stream(torch.npu.current_stream()):
        y = x + 1
    return y * 2""",
    "idle": """\
torch.npu.set_device(0)
    torch.npu.synchronize()
    event = torch.npu.Event()
    event.record()
    with torch.npu.device(0):
        return x * torch.npu.memory_allocated() + torch.npu.mem_get_info()[0]""",
}
_FACTORIES: Final = {
    "pinned": "x = torch.ones(2, device='cpu').pin_memory().to(_device)",
    "drawn": "x = torch.rand(2, device=_device, generator=torch.Generator(_device))",
    "pinned_data": "x = torch.tensor([1.0], device='cpu', pin_memory=True)",
    "unknown_there": "x = torch.npu.nonsense()",
    "misspelt_there": "x = torch.nonsense()",
}
_TOLD: Final[dict[str, tuple[str, str, list[str]]]] = {
    "unknown": ("error", f"{_OURS}not simulated: torch.npu.nonsense on npu Ascend910B", []),
    "pinned_data": ("error", f"{_OURS}audit_pinned_data raised NotImplementedError", []),
    "unknown_there": ("error", f"{_OURS}not simulated: torch.npu.nonsense on npu", []),
    "misspelt": ("error", "audit_misspelt: ", ["GA931", "GA900"]),
    "misspelt_there": ("error", "audit_misspelt_there raised AttributeError: module 'torch'", []),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Scan them all on a simulated NPU."""
    text = "import torch\n\n_device = torch.device('npu')\n"
    for name, body in _CALLS.items():
        text += f"\n\ndef _{name}(x):\n    {body}\n"
        text += f"\n\ndef audit_{name}():\n    return _{name}, (torch.ones(2),)\n"
    for name, body in _FACTORIES.items():
        text += f"\n\ndef audit_{name}():\n    {body}\n    return lambda y: y + 1, (x,)\n"
    return scanned(tmp_path_factory.mktemp("told"), text, "npu")


def scanned(folder: Path, text: str, platform: str) -> dict[str, Any]:
    """Scan a file as a user would."""
    folder.joinpath("audit.py").write_text(text)
    command = [sys.executable, "-m", "graphaudit", "scan", ".", "--output-format", "json"]
    output = folder / "report.json"
    done = subprocess.run(
        [*command, "--platform", platform, "--output", str(output)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert output.exists(), done.stderr
    found: dict[str, Any] = json.loads(output.read_bytes())
    return found


@pytest.mark.parametrize("name", [*_CALLS, *_FACTORIES])
def test_who_is_at_fault(report: dict[str, Any], name: str) -> None:
    """What the stand-in lacks is no finding, and what the program misspells is."""
    outcome, message, rules = _TOLD.get(name, ("clean", "", []))
    (entry,) = [one for one in report["entries"] if one["id"].endswith(f"::audit_{name}")]
    found = [one["rule"] for one in report["findings"] if one["entry"] == entry["id"]]
    assert entry["outcome"] == outcome
    assert entry["message"].startswith(message)
    assert found == rules


def test_pinning_in_compiled_code_is_the_programs_fault(tmp_path: Path) -> None:
    """Dynamo cannot trace it: it fails on a real H200 in the same way."""
    text = """\
import torch


def pinned(x):
    return x.cpu().pin_memory()


def audit_pinned():
    return pinned, (torch.ones(2),)
"""
    (found,) = scanned(tmp_path, text, "cuda")["findings"]
    assert (found["effect"], found["line"], found["gates"]) == ("error", 5, True)
    assert "NYI: aten._pin_memory.default" in found["why"]
