"""Every entry does what it is there to show."""

from __future__ import annotations

import inspect
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import torch

from engine import audit
from engine.model_config import ModelConfig, publish_model_config
from engine.parallel import ParallelConfig, get_parallel
from probes import eager

ROOT = Path(__file__).parents[2]
CLEAN = (
    "audit_varlen_attention",
    "audit_fa_forward",
    "audit_dsa_context_parallel",
    "audit_dsa_context_parallel_enabled",
    "audit_prefill_forward",
    "audit_prefill_runner",
    "audit_prefill_forward_context_parallel",
    "audit_is_musa_safe",
    "audit_is_hip_safe",
    "audit_is_npu_safe",
    "audit_is_hip_eager",
    "audit_is_npu_eager",
)
BREAKS = (
    "audit_dsa_context_parallel_reverted",
    "audit_prefill_forward_reverted",
    "audit_is_musa_eager",
)
# Of a size that no machine holds: traced by a scan, see test_deepseek_scan.py.
FAKE = ("audit_deepseek_v3_stack",)
pytestmark = pytest.mark.filterwarnings("ignore:Dynamo detected a call to a .functools")


def compile_and_call(name: str) -> tuple[object, object]:
    """What an entry gives eagerly and compiled without a break."""
    factory = getattr(audit, name)
    fn, args, *rest = factory()
    keywords = rest[0] if rest else {}
    with getattr(factory, "context", nullcontext)():
        expected = fn(*args, **keywords)
        options = getattr(factory, "options", {})
        compiled = torch.compile(fn, backend="eager", fullgraph=True, **options)
        return expected, compiled(*args, **keywords)


def test_every_entry_is_expected_here() -> None:
    """An entry that no test knows is not there, and each can be called without arguments."""
    entries = {name for name in vars(audit) if name.startswith("audit_")} - {"audit_inputs"}
    assert entries == {*CLEAN, *BREAKS, *FAKE}
    assert all(not inspect.signature(getattr(audit, name)).parameters for name in entries)


@pytest.mark.parametrize("name", CLEAN)
def test_clean_entries(name: str) -> None:
    """One graph, and the values of the plain call."""
    expected, got = compile_and_call(name)
    # Compiled with the eager backend: the same operators in the same order.
    torch.testing.assert_close(got, expected, rtol=0, atol=0)


@pytest.mark.parametrize("name", BREAKS)
def test_entries_that_break(name: str) -> None:
    """The trace ends at the import in the eager probe."""
    with pytest.raises(RuntimeError, match="module_name: torchada") as caught:
        compile_and_call(name)
    site = caught.value.real_stack[-1]
    assert caught.value.gb_type == "Import failure"
    assert Path(site.filename) == ROOT / "probes" / "eager.py"
    assert site.line.startswith("import torchada")


def test_entries_publish_what_they_need() -> None:
    """What an earlier entry or a server published does not matter."""
    get_parallel().publish(ParallelConfig(attn_cp_size=2, attn_cp_rank=1))
    publish_model_config(ModelConfig({}))
    branch, args = audit.audit_dsa_context_parallel()
    assert branch(*args).item() == -1.0


@pytest.mark.parametrize(
    "name",
    [
        "audit_dsa_context_parallel_reverted",
        "audit_is_musa_eager",
        "audit_is_hip_eager",
        "audit_is_npu_eager",
    ],
)
def test_no_entry_answers_for_another(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """What an eager probe was asked before, on another platform, is forgotten."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setitem(sys.modules, "torchada", ModuleType("torchada"))
        elsewhere.setattr(torch.version, "musa", "4.0.0", raising=False)
        elsewhere.setattr(torch.version, "hip", "6.4.0")
        npu = SimpleNamespace(is_available=lambda: True)
        elsewhere.setattr(torch, "npu", npu, raising=False)
        for probe in (eager.is_musa, eager.is_hip, eager.is_npu):
            probe.cache_clear()
            assert probe()
    branch, args = getattr(audit, name)()
    with get_parallel().override(attn_cp_size=4):
        assert branch(*args).item() == (1.0 if name.endswith("_reverted") else -1.0)


def test_the_enabled_entry_reaches_the_probes() -> None:
    """On four ranks the answer is yes, which only comes after the platform was asked."""
    expected, got = compile_and_call("audit_dsa_context_parallel_enabled")
    assert expected.item() == got.item() == 1.0


def test_the_context_parallel_entry_hands_on_a_share() -> None:
    """Rank 1 of 4 owns three of ten rows."""
    expected, _got = compile_and_call("audit_prefill_forward_context_parallel")
    assert expected.shape == (3, 64)


@pytest.mark.parametrize("name", [*CLEAN, *BREAKS, *FAKE])
def test_no_entry_names_a_device(name: str) -> None:
    """Inputs are made where the default device says."""
    with torch.device("meta"):
        _fn, args, *_keywords = getattr(audit, name)()
    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    assert tensors
    assert {tensor.device.type for tensor in tensors} == {"meta"}


def test_first_call_of_a_process_is_compiled() -> None:
    """The model traces before anything of it has run."""
    code = (
        "import torch; from engine.audit import audit_prefill_forward\n"
        "model, args = audit_prefill_forward()\n"
        "compiled = torch.compile(model, backend='eager', fullgraph=True)\n"
        "assert torch.equal(compiled(*args), model(*args))"
    )
    subprocess.run([sys.executable, "-B", "-W", "error", "-c", code], cwd=ROOT, check=True)
