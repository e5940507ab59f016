"""Scans on simulated platforms and with other packages, from the command line to the report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_AUDIT = """
import torch

def is_musa():
    try:
        import torchada
    except ImportError:
        return False
    return getattr(torch.version, "musa", None) is not None

def branch(x):
    return x + 1 if is_musa() else x - 1

def audit_probe():
    return branch, (torch.randn(2),)

def audit_only_cuda():
    return (lambda x: x * torch.cuda.get_device_properties(0).warp_size), (torch.randn(2),)

audit_only_cuda.platforms = ("cuda",)
"""
_MEMORY = """
import torch

def ask(x):
    torch.cuda.memory_snapshot()
    return x + 1

def audit_asks():
    return ask, (torch.randn(2),)

def shown(x):
    print("a break of its own")
    return x + torch.cuda.memory_snapshot()

def audit_breaks_and_asks():
    return shown, (torch.randn(2),)

MODEL = torch.nn.Linear(2, 2)
TABLE = torch.tensor([1.0, 2.0])

def audit_is_clean():
    return (lambda x: MODEL(x) + TABLE), (torch.randn(2),)
"""


def scan(folder: Path, text: str, *options: str, path: str = "") -> dict[str, Any]:
    """Scan one file; the report, with the exit code as `exit` and what was said as `said`."""
    (folder / "audit.py").write_text(text)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "graphaudit", "scan", "audit.py", "--output-format", "json"),
            *options,
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), path])},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    report: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
    return {**report, "exit": done.returncode, "said": done.stderr}


def outcomes(report: dict[str, Any], name: str) -> dict[str, str]:
    """Give the outcome of an entry on each platform."""
    ident = f"audit.py::{name}"
    return {one["platform"]: one["outcome"] for one in report["entries"] if one["id"] == ident}


STOCK = ("--no-see-through", "--no-coverage")


def test_the_probe_breaks_where_its_package_is_absent(tmp_path: Path) -> None:
    """On each platform but that of the package's vendor."""
    report = scan(tmp_path, _AUDIT, "--platform", "all", *STOCK)
    assert outcomes(report, "audit_probe") == {
        "cpu": "breaks",
        "cuda": "breaks",
        "hip": "breaks",
        "musa": "clean",
        "npu": "breaks",
    }
    assert {found["gb"] for found in report["findings"] if found["gates"]} == {"GB0069"}
    assert outcomes(report, "audit_only_cuda") == {"cuda": "clean"}
    assert report["environment"]["devices"] == {
        "cuda": "H100",
        "hip": "MI300X",
        "musa": "S4000",
        "npu": "910B",
    }


@pytest.mark.parametrize(
    ("option", "platform", "outcome"),
    [("--without", "musa", "breaks"), ("--broken", "musa", "breaks"), ("--stub", "cuda", "clean")],
)
def test_a_package_is_what_was_asked_for(
    option: str, platform: str, outcome: str, tmp_path: Path
) -> None:
    """Whatever is the state as sold."""
    report = scan(
        tmp_path, _AUDIT, "-k", "probe", "--platform", platform, option, "torchada", *STOCK
    )
    assert outcomes(report, "audit_probe") == {platform: outcome}


def test_what_was_asked_stands_in_the_report(tmp_path: Path) -> None:
    """Values on a simulated device are invented, and no entry says why it was left out twice."""
    options = ("--platform", "cuda:B200", "--without", "a", "--broken", "b", "--stub", "c", *STOCK)
    report = scan(tmp_path, _AUDIT, *options)
    world = report["environment"]
    assert (world["without"], world["broken"], world["stubs"]) == (["a"], ["b"], [])
    assert world["devices"] == {"cuda": "B200"}
    assert all(found["invented_data"] for found in report["findings"])
    report = scan(tmp_path, _AUDIT, "--platform", "hip", "--platform", "npu", *STOCK)
    assert report["notes"] == [
        "audit.py::audit_only_cuda is for cuda and none of them was asked for: not traced"
    ]


def test_what_the_simulation_cannot_answer_is_no_finding(tmp_path: Path) -> None:
    """The entry says so and counts as not traced; others go on, and a break of its own is told."""
    report = scan(tmp_path, _MEMORY, "--platform", "cuda")
    by_name = {one["id"].partition("::")[2]: one for one in report["entries"]}
    for name in ("audit_asks", "audit_breaks_and_asks"):
        assert by_name[name]["outcome"] == "error"
        assert by_name[name]["message"].startswith(
            "not the fault of your code: the audit cannot go on here: not simulated: "
            "torch._C._cuda_memorySnapshot on cuda NVIDIA H100 80GB HBM3"
        )
    assert by_name["audit_is_clean"]["outcome"] == "clean"
    assert {found["source"] for found in report["findings"]} == {'print("a break of its own")'}
    assert report["exit"] == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--platform", "cude"), "no platform 'cude': did you mean cuda?"),
        (("--platform", "cuda:X1"), "cuda has no device 'X1'"),
        (("--without", "torch"), "--without torch: the audit itself runs on torch"),
        (("--without", "a", "--stub", "a"), "a cannot be both --without and --stub"),
    ],
)
def test_what_cannot_be_had_is_refused(
    options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    """With exit code 2, before or in the first child."""
    report = scan(tmp_path, _AUDIT, *options)
    assert (report["exit"], message in report["said"]) == (2, True), report["said"]


def test_whatever_cannot_be_imported_gets_a_stub_and_is_named(tmp_path: Path) -> None:
    """A call of one while an entry is traced is no fault of the program's."""
    text = """
import torch
import gone.kernels
from other import Base

class Layer(Base, torch.nn.Module):
    def forward(self, x):
        return x + 1

def audit_layer():
    return Layer(), (torch.randn(2),)

def audit_call():
    return (lambda x: gone.kernels.silu(x)), (torch.randn(2),)
"""
    assert outcomes(scan(tmp_path, text), "audit_layer") == {"cpu": "error"}
    report = scan(tmp_path, text, "--stub", "auto")
    assert report["environment"]["stubs"] == ["gone", "other"]
    assert outcomes(report, "audit_layer") == {"cpu": "clean"}
    call = next(one for one in report["entries"] if one["id"].endswith("audit_call"))
    assert call["outcome"] == "error"
    assert "the stub of gone was called: gone.kernels.silu(...)" in call["message"]
    assert report["findings"] == []


def test_a_package_can_count_as_the_users_own(tmp_path: Path) -> None:
    """Its line is the one to mend then, and else a library's below the line that calls it."""
    site = tmp_path / "site-packages" / "lib"
    site.mkdir(parents=True)
    (site / "__init__.py").write_text("def work(x):\n    print(x.shape)\n    return x + 1\n")
    text = (
        "import torch\nimport lib\n\ndef call(x):\n    return lib.work(x)\n\n"
        "def audit_call():\n    return call, (torch.randn(2),)\n"
    )
    path = str(site.parent)

    below = scan(tmp_path, text, path=path)["findings"]
    own = scan(tmp_path, text, "--root", "lib", path=path)["findings"]

    assert [(one["path"], one["line"], one["who"]) for one in below] == [
        ("audit.py", 5, "you, or lib")
    ]
    assert [one["library"] for one in below] == [
        {"path": "<site-packages>/lib/__init__.py", "line": 2}
    ]
    assert [(one["path"], one["line"], one["who"]) for one in own] == [
        ("site-packages/lib/__init__.py", 2, "you")
    ]


def test_the_default_device_is_not_part_of_the_program(tmp_path: Path) -> None:
    """A factory makes its tensors on it, a generator at each step; the traced call knows none.

    Dynamo would go through the mode at each operator, and break at `unflatten`.
    """
    text = """
import torch

def parts(x):
    return (x * 2).unflatten(-1, (2, 3)) + torch.ones(3, device=x.device)

def audit_parts():
    yield parts, (torch.randn(4, 6),)
    yield parts, (torch.randn(4, 6),)
"""
    report = scan(tmp_path, text, "--platform", "cuda")
    assert (report["findings"], outcomes(report, "audit_parts")) == ([], {"cuda": "clean"})
