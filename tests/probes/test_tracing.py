"""What Dynamo makes of the probes: the safe ones trace everywhere, the eager MUSA one does not."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import torch

from probes import eager, safe

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
ignore_cache_warning = pytest.mark.filterwarnings("ignore:Dynamo detected a call to a .functools")


def branch_on(probe: Callable[[], bool]) -> Callable[[torch.Tensor], torch.Tensor]:
    """A function whose graph depends on the probe."""

    def branch(x: torch.Tensor) -> torch.Tensor:
        return x + 1 if probe() else x - 1

    return branch


def in_one_graph(fn: Callable[[torch.Tensor], torch.Tensor]) -> float:
    """What `fn` makes of a zero, compiled without a break."""
    return torch.compile(fn, backend="eager", fullgraph=True)(torch.zeros(1)).item()


@pytest.fixture
def _hidden_npu(monkeypatch: pytest.MonkeyPatch) -> None:
    """The constants of the safe probes as they are where torch_npu sees no device."""
    npu = SimpleNamespace(is_available=lambda: False)
    monkeypatch.setattr(torch, "npu", npu, raising=False)
    constants = runpy.run_path(str(ROOT / "probes" / "safe.py"))
    # Into the module itself: guards look a global up by the name of its module.
    for name in ("IS_NPU", "NPU_FAILURE"):
        monkeypatch.setattr(safe, name, constants[name])


@pytest.mark.parametrize("probe", [safe.is_musa, safe.is_hip, safe.is_npu])
def test_safe_probes_trace(probe: Callable[[], bool]) -> None:
    """On this machine all three say no, in one graph."""
    assert in_one_graph(branch_on(probe)) == -1.0


@ignore_cache_warning
@pytest.mark.parametrize("probe", [eager.is_hip, eager.is_npu])
def test_eager_probes_that_trace(probe: Callable[[], bool]) -> None:
    """Looking at torch breaks nothing."""
    assert in_one_graph(branch_on(probe)) == -1.0


@ignore_cache_warning
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_eager_musa_breaks_at_its_import(*, warm: bool) -> None:
    """The import ends the trace, and an answer in the cache does not help."""
    eager.is_musa.cache_clear()
    if warm:
        assert eager.is_musa() is False
    with pytest.raises(RuntimeError, match="Import failure") as caught:
        in_one_graph(branch_on(eager.is_musa))
    site = caught.value.real_stack[-1]
    assert caught.value.gb_type == "Import failure"
    assert Path(site.filename) == ROOT / "probes" / "eager.py"
    assert site.line.startswith("import torchada")


def test_a_changed_constant_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The constant is guarded: the compiled code is not stale."""
    compiled = torch.compile(branch_on(safe.is_musa), backend="eager", fullgraph=True)
    assert compiled(torch.zeros(1)).item() == -1.0
    monkeypatch.setattr(safe, "IS_MUSA", True)
    assert compiled(torch.zeros(1)).item() == 1.0


@pytest.mark.usefixtures("_hidden_npu")
def test_hidden_npu_can_be_caught_while_tracing() -> None:
    """The error of the safe form is an ordinary raise."""

    def handled(x: torch.Tensor) -> torch.Tensor:
        try:
            safe.is_npu()
        except RuntimeError:
            return x + 5
        return x

    assert in_one_graph(handled) == 5.0


@pytest.mark.usefixtures("_hidden_npu")
def test_hidden_npu_reaches_the_caller() -> None:
    """Uncaught, it ends the compiled call as it ends the plain one."""
    compiled = torch.compile(branch_on(safe.is_npu), backend="eager")
    with pytest.raises(
        RuntimeError, match=r"^torch_npu detected, but NPU device is not available or visible\.$"
    ):
        compiled(torch.zeros(1))


def test_an_error_that_cannot_be_built_again_reaches_the_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is kept as it was: a compiled call raises it too, behind a break."""

    class DriverError(RuntimeError):
        def __init__(self, device: int, status: int) -> None:
            super().__init__(f"device {device}: status {status}")

    monkeypatch.setattr(safe, "NPU_FAILURE", safe._failure(DriverError(3, 507)))
    compiled = torch.compile(branch_on(safe.is_npu), backend="eager")
    with pytest.raises(DriverError, match=r"^device 3: status 507$"):
        compiled(torch.zeros(1))


def test_first_call_of_a_process_is_compiled() -> None:
    """Nothing has to run before the trace: no import, no warm cache."""
    code = (
        "import torch; from probes.safe import is_musa\n"
        "def branch(x): return x + 1 if is_musa() else x - 1\n"
        "assert torch.compile(branch, backend='eager', fullgraph=True)(torch.zeros(1)).item() == -1"
    )
    subprocess.run([sys.executable, "-B", "-W", "error", "-c", code], cwd=ROOT, check=True)
