"""Which errors are the audit's own."""

from __future__ import annotations

import pytest

from graphaudit._artefact import artefact, restates

OURS = [
    "not simulated: torch.cuda.memory_stats on cuda H100",
    "the stub of sgl_kernel was called: sgl_kernel.silu_and_mul(...). Only the real one knows",
]
TORCHS = [
    "AssertionError: Torch not compiled with CUDA enabled",
    "PyTorch is not linked with support for cuda devices",
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU",
    "Could not run 'aten::empty.memory_format' with arguments from the 'CUDA' backend.",
    "RuntimeError: 0 active drivers ([]). There should only be one.",
    "RuntimeError: Cannot access accelerator device when none is available.",
    "RuntimeError: pin_memory=True requires a CUDA or other accelerator backend; no pinned memory",
    "RuntimeError: Cannot get CUDA generator without ATen_cuda library.",
    "RuntimeError: NVTX functions not installed. Are you sure you have a CUDA build?",
]
VENDORS = [
    "NotImplementedError: You should register `PrivateUse1HooksInterface`by `Register...`",
    "RuntimeError: Backend doesn't support elapsedTime.",
    "NotImplementedError: No interface for device npu",
]


@pytest.mark.parametrize("text", [*OURS, *TORCHS])
def test_on_a_simulated_device(text: str) -> None:
    """The line is given, and none of those around it."""
    assert artefact(["", f"before\n{text}\nafter"], simulated="cuda") == text


@pytest.mark.parametrize("text", TORCHS[:1])
def test_another_vendors_device_is_the_programs_matter(text: str) -> None:
    """A program that asks CUDA on an NPU is wrong there."""
    assert artefact([text], simulated="npu") == ""


@pytest.mark.parametrize("text", VENDORS)
@pytest.mark.parametrize(("platform", "ours"), [("npu", True), ("musa", True), ("cuda", False)])
def test_what_a_vendors_package_brings(text: str, platform: str, *, ours: bool) -> None:
    """The stand-in for it has less; where torch brings the device itself, it is the program's."""
    assert artefact([text], simulated=platform) == (text if ours else "")


@pytest.mark.parametrize(
    ("text", "why", "expected"),
    [
        ("raised exception AttributeError()", OURS[0], True),
        ("raised exception AttributeError()", OURS[1], False),
        ("raised exception AttributeError()", "", False),
        ("raised exception KeyError()", OURS[0], False),
    ],
)
def test_what_dynamo_makes_of_an_attribute_that_is_lacking(
    text: str, why: str, *, expected: bool
) -> None:
    """It has no words of its own: those of the same trace's run are needed."""
    assert restates(["", text], why) is expected


@pytest.mark.parametrize("text", OURS)
def test_a_stub_is_ours_on_any_machine(text: str) -> None:
    """What stands before it on its line is left out."""
    assert artefact([f"RuntimeError: {text}"], simulated="") == text


@pytest.mark.parametrize("text", TORCHS)
def test_on_the_machine_itself_it_is_the_programs(text: str) -> None:
    """A program that asks for a device that is not there is wrong."""
    assert artefact([text], simulated="") == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "CUDA error: out of memory",
        "is not simulated",
        "ModuleNotFoundError: No module named 'x'",
    ],
)
def test_other_errors_are_the_programs(text: str) -> None:
    """Also on a simulated device."""
    assert artefact([text], simulated="cuda") == ""
