"""What tells one platform from another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graphaudit.platforms import devices
from graphaudit.platforms.names import DEVICES, SIMULATED, absent
from tests.platforms.in_process import answers, run

if TYPE_CHECKING:
    from pathlib import Path

_PROBES = """
ask("version", lambda: [torch.version.cuda is not None, torch.version.hip is not None,
                        getattr(torch.version, "musa", None) is not None])
ask("cuda", torch.cuda.is_available)
ask("npu", lambda: hasattr(torch, "npu") and torch.npu.is_available())
ask("musa", lambda: hasattr(torch, "musa") and torch.musa.is_available())
ask("accelerator", lambda: str(torch.accelerator.current_accelerator()))
ask("name", lambda: torch.get_device_module(device).get_device_name())
ask("memory", lambda: torch.get_device_module(device).mem_get_info()[1])
"""
PLATFORMS = {
    "cpu": ([False, False, False], False, False, False, "None", None, None),
    "cuda": ([True, False, False], True, False, False, "cuda", "NVIDIA H100 80GB HBM3", 80 * 2**30),
    "hip": ([False, True, False], True, False, False, "cuda", "AMD Instinct MI300X", 192 * 2**30),
    "musa": ([False, False, True], False, False, True, "musa", "MTT S4000", 48 * 2**30),
    "npu": ([False, False, False], False, True, False, "npu", "Ascend910B", 64 * 2**30),
}


@pytest.mark.parametrize("platform", SIMULATED)
def test_probes(platform: str) -> None:
    """The questions by which engines tell platforms apart have consistent answers."""
    found = answers(platform, _PROBES)
    version, cuda, npu, musa, accelerator, name, memory = PLATFORMS[platform]
    assert found["version"] == version
    assert (found["cuda"], found["npu"], found["musa"]) == (cuda, npu, musa)
    assert found["accelerator"] == accelerator
    if platform != "cpu":
        assert (found["name"], found["memory"]) == (name, memory)


def test_an_npu_without_its_package_is_a_processor() -> None:
    """torch_npu brings the device."""
    program = """
import torch
from graphaudit.platforms.simulate import simulate
device_type = simulate("npu", vendor=False).device_type
print(device_type, hasattr(torch, "npu"), torch.accelerator.is_available())
"""
    assert run(program).stdout.split() == ["cpu", "False", "False"]


def test_hip_has_its_architecture_and_not_what_is_unpublished() -> None:
    """A figure without a source is refused by name."""
    code = """
properties = torch.cuda.get_device_properties()
ask("arch", lambda: properties.gcnArchName)
ask("warp", lambda: properties.warp_size)
ask("optional memory", lambda: properties.shared_memory_per_block_optin)
"""
    assert answers("hip", code) == {
        "arch": "gfx942:sramecc+:xnack-",
        "warp": 64,
        "optional memory": (
            "NotSimulated: not simulated: get_device_properties().shared_memory_per_block_optin "
            "on hip AMD Instinct MI300X"
        ),
    }


@pytest.mark.parametrize(
    ("platform", "device", "expected"),
    [
        ("cuda", "H100", ("cuda", 132, 90, 9, 65_536, 2048, 1024, 32)),
        ("cuda", "B200", ("cuda", 148, 100, 10, 65_536, 2048, 1024, 32)),
        ("hip", "MI300X", ("hip", 304, "gfx942", 9, 65_536, 2048, 1024, 64)),
    ],
)
def test_inductor_has_every_figure_that_it_asks_for(
    platform: str, device: str, expected: tuple[object, ...]
) -> None:
    """None is left out: its kernels would differ."""
    code = """
from torch._inductor.runtime.hints import DeviceProperties
made = DeviceProperties.create(torch.device("cuda", 0))._asdict()
ask("made", lambda: [made.pop("index"), *made.values()])
"""
    assert answers(platform, code, device)["made"][1:] == list(expected)


def test_a_vendors_module_says_what_it_does_not_answer() -> None:
    """To `hasattr` it is not there."""
    code = """
ask("capability", torch.musa.get_device_capability)
ask("there", lambda: hasattr(torch.musa, "frobnicate"))
ask("asked", lambda: torch.musa.frobnicate)
"""
    assert answers("musa", code) == {
        "capability": (
            "NotSimulated: not simulated: get_device_properties().major on musa MTT S4000"
        ),
        "there": False,
        "asked": "_Unanswered: not simulated: torch.musa.frobnicate on musa MTT S4000",
    }


def test_every_device_is_known() -> None:
    """By name, with at least its memory; each says where its figures are from."""
    for name in (name for names in DEVICES.values() for name in names):
        device = devices.NAMED[name]()
        assert device.total_memory > 2**35
        assert len(devices.NAMED[name].__doc__ or "") > 100


def test_a_platform_lacks_what_other_vendors_bring() -> None:
    """And has its own."""
    assert absent("cuda") == ("torchada", "torch_npu")
    assert absent("musa") == ("torch_npu",)


@pytest.mark.parametrize(
    ("cxx", "message"),
    [
        (
            "no-such-compiler -O2",
            "compiled, and there is no no-such-compiler: install one",
        ),
        ("/bin/false", "compiled, and /bin/false failed: ; set CXX"),
        ("g++ '", "CXX=g++ ' is no command: No closing quotation"),
    ],
)
def test_without_a_compiler_the_message_says_what_to_do(
    cxx: str, message: str, tmp_path: object
) -> None:
    """Nothing was built before, in a cache of its own."""
    program = """
from graphaudit.platforms.simulate import simulate
from graphaudit.platforms.errors import SimulationError
try:
    simulate("cuda")
except SimulationError as error:
    print(error)
"""
    said = run(program, CXX=cxx, XDG_CACHE_HOME=str(tmp_path)).stdout
    assert message in said


def test_a_compiler_may_have_arguments(tmp_path: Path) -> None:
    """As make and torch take it; a wrapper such as ccache is one more word."""
    program = """
from graphaudit.platforms.simulate import simulate
print(simulate("cuda"))
"""
    done = run(program, CXX="env LC_ALL=C c++ -O0", XDG_CACHE_HOME=str(tmp_path))
    assert "platform='cuda'" in done.stdout, done.stderr
    assert list(tmp_path.glob("graphaudit/native-*.so"))


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: object) -> None:
    """What is built is kept beside temporary files then."""
    program = """
from graphaudit.platforms.simulate import simulate
print(simulate("cuda"))
"""
    done = run(program, XDG_CACHE_HOME="/proc/none", TMPDIR=str(tmp_path))
    assert "platform='cuda'" in done.stdout, done.stderr
