"""The safe probes answer as the eager ones do, on every platform that can be faked."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Outcomes = Callable[[str], list[object]]

NPU_HIDDEN = "torch_npu detected, but NPU device is not available or visible."


@pytest.fixture
def torchada(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A torchada that imports."""
    module = ModuleType("torchada")
    monkeypatch.setitem(sys.modules, "torchada", module)
    return module


@pytest.mark.parametrize(("version", "expected"), [("4.0.0", True), (None, False)])
@pytest.mark.usefixtures("torchada")
def test_musa_version_decides(
    monkeypatch: pytest.MonkeyPatch, version: str | None, outcomes: Outcomes, *, expected: bool
) -> None:
    """With torchada, the version that torch names is the answer."""
    monkeypatch.setattr(torch.version, "musa", version, raising=False)
    assert outcomes("is_musa") == [expected] * 4


@pytest.mark.usefixtures("torchada")
def test_torchada_without_a_musa_version(outcomes: Outcomes) -> None:
    """A torch that never heard of MUSA is not a MUSA build."""
    assert not hasattr(torch.version, "musa")
    assert outcomes("is_musa") == [False] * 4


def test_musa_version_without_torchada(monkeypatch: pytest.MonkeyPatch, outcomes: Outcomes) -> None:
    """The version alone is not enough."""
    monkeypatch.setitem(sys.modules, "torchada", None)
    monkeypatch.setattr(torch.version, "musa", "4.0.0", raising=False)
    assert outcomes("is_musa") == [False] * 4


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("raise ImportError('libmusart.so is missing')", False),
        ("import not_there", False),
        ("raise RuntimeError('driver too old')", (RuntimeError, "driver too old")),
        (
            "raise OSError(2, 'No such file', 'libmusart.so')",
            (FileNotFoundError, "[Errno 2] No such file: 'libmusart.so'"),
        ),
        ("{}['device']", (KeyError, "'device'")),
        ("raise SystemExit('no MUSA licence')", (SystemExit, "no MUSA licence")),
    ],
)
def test_torchada_that_raises_at_import(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str, expected: object, outcomes: Outcomes
) -> None:
    """Only an ImportError means no; any other error is raised by the call, the same each time."""
    (tmp_path / "torchada.py").write_text(body)
    monkeypatch.delitem(sys.modules, "torchada", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(torch.version, "musa", "4.0.0", raising=False)
    assert outcomes("is_musa") == [expected] * 4


@pytest.mark.parametrize(("version", "expected"), [("6.4.0", True), (None, False)])
def test_hip(
    monkeypatch: pytest.MonkeyPatch, version: str | None, outcomes: Outcomes, *, expected: bool
) -> None:
    """The HIP version that torch names is the answer."""
    monkeypatch.setattr(torch.version, "hip", version)
    assert outcomes("is_hip") == [expected] * 4


def test_a_torch_that_does_not_name_hip(
    monkeypatch: pytest.MonkeyPatch, outcomes: Outcomes
) -> None:
    """A missing answer is an error of the call, not of the import."""
    monkeypatch.delattr(torch.version, "hip")
    expected = (AttributeError, "module 'torch.version' has no attribute 'hip'")
    assert outcomes("is_hip") == [expected] * 4


def test_no_npu(outcomes: Outcomes) -> None:
    """A torch without `npu` runs on none."""
    assert not hasattr(torch, "npu")
    assert outcomes("is_npu") == [False] * 4


@pytest.mark.parametrize(
    ("available", "expected"), [(True, True), (False, (RuntimeError, NPU_HIDDEN))]
)
def test_npu(
    monkeypatch: pytest.MonkeyPatch, expected: object, outcomes: Outcomes, *, available: bool
) -> None:
    """An NPU plug-in without a device is an error, when the probe is called."""
    npu = SimpleNamespace(is_available=lambda: available)
    monkeypatch.setattr(torch, "npu", npu, raising=False)
    assert outcomes("is_npu") == [expected] * 4


def test_npu_that_is_none(monkeypatch: pytest.MonkeyPatch, outcomes: Outcomes) -> None:
    """A plug-in that took its module back is an error, not a no."""
    monkeypatch.setattr(torch, "npu", None, raising=False)
    expected = (AttributeError, "'NoneType' object has no attribute 'is_available'")
    assert outcomes("is_npu") == [expected] * 4
