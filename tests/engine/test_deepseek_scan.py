"""Size is no limit: the published model is traced where no machine could hold it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from engine.audit_inputs import long_prompt
from engine.deepseek_model import empty_deepseek
from engine.deepseek_shape import DeepseekShape

ROOT = Path(__file__).parents[2]
# The entry of the engine's audit, on the fake tensors of whatever machine this is.
ENTRY = """
from engine.audit import audit_deepseek_v3_stack as published


def audit_deepseek_v3():
    return published()


audit_deepseek_v3.fake = True
"""


def test_published_layers_trace() -> None:
    """Three dense layers and a mixture in one graph, in their full width."""
    with FakeTensorMode():
        model = empty_deepseek(replace(DeepseekShape(), num_layers=4))
        logits = torch.compile(model, backend="eager", fullgraph=True)(*long_prompt())
    assert logits.shape == (1, 129_280)
    assert logits.dtype is torch.bfloat16


@pytest.mark.long
def test_the_whole_model_is_clean_and_takes_no_memory(tmp_path: Path) -> None:
    """All 61 layers in one graph, within 2 GB, torch included; its weights are 1342 GB."""
    (tmp_path / "published.py").write_text(ENTRY)
    report = tmp_path / "report.json"
    arguments = ["scan", "published.py", "--output-format", "json", "--output", str(report)]
    process = subprocess.Popen(
        [sys.executable, "-m", "graphaudit", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    (entry,) = json.loads(report.read_text())["entries"]
    assert (entry["outcome"], entry["graphs"]) == ("clean", 1)
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    assert peak < 2e9
