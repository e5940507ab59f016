"""Which errors are the audit's own."""

from __future__ import annotations

import pytest

from graphaudit._artefact import artefact, unanswered

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
    "Cannot get CUDA generator without ATen_cuda library",
]


@pytest.mark.parametrize("text", [*OURS, *TORCHS])
def test_on_a_simulated_device(text: str) -> None:
    """The line is given, and none of those around it."""
    assert artefact(["", f"before\n{text}\nafter"], simulated="cuda") == text


@pytest.mark.parametrize("text", TORCHS[:1])
def test_another_vendors_device_is_the_programs_matter(text: str) -> None:
    """A program that asks CUDA on an NPU is wrong there."""
    assert artefact([text], simulated="npu") == ""


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


def test_advice_to_linkers_is_left_out() -> None:
    """Torch says ten lines of it where there is no CUDA library."""
    text = "RuntimeError: Cannot get CUDA generator without ATen_cuda library"
    assert artefact([f"{text}. PyTorch splits its backend"], simulated="cuda") == text


@pytest.mark.parametrize(
    ("why", "attribute"),
    [
        ("not simulated: torch.musa.is_something on musa S4000", "is_something"),
        ("raised x: not simulated: torch._C._cuda_memorySnapshot on cuda", "_cuda_memorySnapshot"),
        ("the stub of sgl_kernel was called: sgl_kernel.silu(...)", ""),
    ],
)
def test_what_a_stand_in_was_asked_for(why: str, attribute: str) -> None:
    """By its last name."""
    assert unanswered(why) == attribute
